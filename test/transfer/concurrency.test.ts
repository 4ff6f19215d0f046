import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { autoConcurrency } from '../../src/transfer/concurrency.js';
import { createPause } from '../../src/transfer/pause.js';
import { createPool } from '../../src/transfer/pool.js';
import { createRateLimit } from '../../src/transfer/rate.js';

test('auto begins at 8 and grows by one after each quiet stretch, to 20', () => {
  const auto = autoConcurrency(0);
  assert.equal(auto.limit, 8);
  for (let i = 0; i < 4; i++) auto.quiet(i, true);
  assert.equal(auto.limit, 9);
  auto.quiet(9_000, false);
  assert.equal(auto.limit, 9, 'bytes alone are no quiet stretch before its time');
  auto.quiet(11_000, false);
  assert.equal(auto.limit, 10);
  for (let i = 0; i < 1000; i++) auto.quiet(20_000, true);
  assert.equal(auto.limit, 20);
});

test('one 429 lowers it by 0.7, however many transfers it hit', () => {
  const auto = autoConcurrency(0);
  for (let i = 0; i < 8; i++) auto.trouble(5_000 + i, 'rate');
  assert.equal(auto.limit, 5);
  auto.trouble(9_000, 'rate');
  assert.equal(auto.limit, 3);
});

test('a single broken connection counts for nothing, a second in a row does', () => {
  const auto = autoConcurrency(0);
  auto.trouble(5_000, 'broken');
  auto.quiet(5_500, true);
  auto.trouble(6_000, 'broken');
  assert.equal(auto.limit, 8);
  auto.trouble(6_100, 'broken');
  assert.equal(auto.limit, 5);
});

test('auto stays between 1 and 20 whatever happens', () => {
  const step = fc.record({ ms: fc.nat(5_000), kind: fc.constantFrom('finish', 'bytes', 'rate', 'broken') });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const auto = autoConcurrency(0);
      let now = 0;
      for (const { ms, kind } of steps) {
        now += ms;
        if (kind === 'finish' || kind === 'bytes') auto.quiet(now, kind === 'finish');
        else auto.trouble(now, kind as 'rate' | 'broken');
        assert.ok(Number.isInteger(auto.limit) && auto.limit >= 1 && auto.limit <= 20);
      }
    }),
  );
});

test('the pool runs no more than the limit, and takes no task before there is room', async () => {
  const concurrency = { limit: 3, quiet: () => {}, trouble: () => {} };
  const pool = createPool(concurrency);
  let running = 0;
  let most = 0;
  let taken = 0;
  for (let i = 0; i < 20; i++) {
    taken++;
    await pool.run(async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    });
    assert.ok(running <= 3 && taken - i === 1);
  }
  await pool.idle();
  assert.equal(most, 3);
  assert.equal(running, 0);
});

test('the pool makes room when the limit grows, before any task ends', async () => {
  const concurrency = { limit: 1, quiet: () => {}, trouble: () => {} };
  const pool = createPool(concurrency);
  let finish = (): void => {};
  const held = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let second = false;
  const first = pool.run(() => held);
  concurrency.limit = 2;
  pool.adjust();
  await first;
  void pool.run(async () => {
    second = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(second);
  finish();
  await pool.idle();
});

test('a task that throws ends the pool with its error', async () => {
  const pool = createPool({ limit: 2, quiet: () => {}, trouble: () => {} });
  await pool.run(() => Promise.reject(new Error('broken task')));
  await assert.rejects(pool.idle(), /broken task/);
});

test('a pause holds everybody until its latest end', async () => {
  let now = 0;
  const pause = createPause(() => now);
  assert.equal(pause.hold(1000), true);
  assert.equal(pause.hold(500), false, 'a shorter pause changes nothing');
  const abort = new AbortController();
  const passed = pause.passed(abort.signal);
  abort.abort(new Error('stop'));
  await assert.rejects(passed, { code: 'interrupted' });
  now = 1000;
  await pause.passed(new AbortController().signal);
});

test('a clock that is set back holds nobody up', async (t) => {
  let clock = Date.now();
  t.mock.method(Date, 'now', () => clock);
  const pause = createPause();
  const rate = createRateLimit(1_000_000);
  const signal = AbortSignal.timeout(10_000);
  pause.hold(1);
  await rate(1000, signal);
  clock -= 3_600_000;
  await rate(1000, signal);
  await pause.passed(signal);
});

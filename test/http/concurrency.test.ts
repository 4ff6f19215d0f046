import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createAutoConcurrency, createByteRateLimit, createConcurrency } from '../../src/http/concurrency.js';
import { createPause } from '../../src/http/retry-policy.js';

test('auto starts at 8 and grows by one after each period without congestion, up to 20', () => {
  const auto = createAutoConcurrency(0);
  assert.equal(auto.limit, 8);
  for (let i = 0; i < 4; i++) auto.onSuccess(i, true);
  assert.equal(auto.limit, 9);
  auto.onSuccess(9_000, false);
  assert.equal(auto.limit, 9, 'bytes alone are no quiet stretch before its time');
  auto.onSuccess(11_000, false);
  assert.equal(auto.limit, 10);
  for (let i = 0; i < 1000; i++) auto.onSuccess(20_000, true);
  assert.equal(auto.limit, 20);
});

test('a 429 multiplies the limit by 0.7 once, however many transfers it affects', () => {
  const auto = createAutoConcurrency(0);
  for (let i = 0; i < 8; i++) auto.onCongestion(5_000 + i, 'rate');
  assert.equal(auto.limit, 5);
  auto.onCongestion(9_000, 'rate');
  assert.equal(auto.limit, 3);
});

test('a single disconnect has no effect, a second in a row does', () => {
  const auto = createAutoConcurrency(0);
  auto.onCongestion(5_000, 'broken');
  auto.onSuccess(5_500, true);
  auto.onCongestion(6_000, 'broken');
  assert.equal(auto.limit, 8);
  auto.onCongestion(6_100, 'broken');
  assert.equal(auto.limit, 5);
});

test('processes that share a limit get equal parts, at least one each', () => {
  const auto = createConcurrency('auto', { processes: 3 });
  assert.equal(auto.limit, 2);
  for (let i = 0; i < 1000; i++) auto.onSuccess(i, true);
  assert.equal(auto.limit, 6);
  assert.equal(createConcurrency('auto', { processes: 64 }).limit, 1);
  assert.equal(createConcurrency(5, { processes: 2 }).limit, 2);
  assert.equal(createConcurrency(5, { processes: 6 }).limit, 1);
  assert.equal(createConcurrency(5).limit, 5);
});

test('auto stays between 1 and 20', () => {
  const step = fc.record({ ms: fc.nat(5_000), kind: fc.constantFrom('finish', 'bytes', 'rate', 'broken') });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const auto = createAutoConcurrency(0);
      let now = 0;
      for (const { ms, kind } of steps) {
        now += ms;
        if (kind === 'finish' || kind === 'bytes') auto.onSuccess(now, kind === 'finish');
        else auto.onCongestion(now, kind as 'rate' | 'broken');
        assert.ok(Number.isInteger(auto.limit) && auto.limit >= 1 && auto.limit <= 20);
      }
    }),
  );
});

test('a pause delays all callers until its latest end', async () => {
  let now = 0;
  const pause = createPause(() => now);
  assert.equal(pause.extend(1000), true);
  assert.equal(pause.extend(500), false, 'a shorter pause changes nothing');
  const abort = new AbortController();
  const passed = pause.waitUntilOver(abort.signal);
  abort.abort(new Error('stop'));
  await assert.rejects(passed, { code: 'interrupted' });
  now = 1000;
  await pause.waitUntilOver(new AbortController().signal);
});

test('setting the clock back delays no one', async (t) => {
  let clock = Date.now();
  t.mock.method(Date, 'now', () => clock);
  const pause = createPause();
  const rate = createByteRateLimit(1_000_000);
  const signal = AbortSignal.timeout(10_000);
  pause.extend(1);
  await rate(1000, signal);
  clock -= 3_600_000;
  await rate(1000, signal);
  await pause.waitUntilOver(signal);
});

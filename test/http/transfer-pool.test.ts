import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Semaphore } from '../../src/base/semaphore.js';
import { createDeferred } from '../../src/base/wait.js';
import { createTransferPool, type TransferSlot } from '../../src/http/transfer-pool.js';

/** Never aborted. */
const NEVER_ABORTED = new AbortController().signal;

function createConcurrency(limit: number) {
  return { limit, onSuccess: () => {}, onCongestion: () => {} };
}

test('the pool runs no more tasks than the limit, and accepts none before there is room', async () => {
  const concurrency = createConcurrency(3);
  const pool = createTransferPool(concurrency, NEVER_ABORTED);
  let running = 0;
  let maxRunning = 0;
  let taken = 0;
  for (let i = 0; i < 20; i++) {
    taken++;
    await pool.submit(async () => {
      maxRunning = Math.max(maxRunning, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    });
    assert.ok(running <= 3 && taken - i === 1);
  }
  await pool.waitForIdle();
  assert.equal(maxRunning, 3);
  assert.equal(running, 0);
});

test('the pool makes room when the limit grows, before any task ends', async () => {
  const concurrency = createConcurrency(1);
  const pool = createTransferPool(concurrency, NEVER_ABORTED);
  let finish = (): void => {};
  const held = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let second = false;
  const first = pool.submit(() => held);
  concurrency.limit = 2;
  pool.updateLimit();
  await first;
  void pool.submit(async () => {
    second = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(second);
  finish();
  await pool.waitForIdle();
});

test('a task that throws ends the pool with its error', async () => {
  const pool = createTransferPool(createConcurrency(2), NEVER_ABORTED);
  await pool.submit(() => Promise.reject(new Error('broken task')));
  await assert.rejects(pool.waitForIdle(), /broken task/);
});

test('after an abort, waiting tasks continue without a slot', async () => {
  const concurrency = createConcurrency(1);
  const slots = new Semaphore(1);
  const others = createTransferPool(concurrency, NEVER_ABORTED, slots);
  const stop = new AbortController();
  const pool = createTransferPool(concurrency, stop.signal, slots);
  let finish = (): void => {};
  const held = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const begun: string[] = [];
  const begins = (name: string) => async (): Promise<void> => void begun.push(name);
  void others.submit(() => held);
  void pool.submit(begins('first'));
  // There is no room before the first task has its slot.
  const fed = pool.submit(begins('second'));
  const after = others.submit(begins('other'));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(begun.length, 0);
  stop.abort();
  await Promise.all([fed, pool.waitForIdle()]);
  assert.deepEqual(begun, ['first', 'second']);
  await pool.submit(async (slot: TransferSlot) => {
    slot.release();
    await slot.acquire();
    begun.push('late');
  });
  await pool.waitForIdle();
  assert.deepEqual(begun, ['first', 'second', 'late']);
  finish();
  await Promise.all([after, others.waitForIdle()]);
  assert.equal(begun.at(-1), 'other');
  assert.ok(slots.isIdle);
});

test('the pool says when all started tasks wait in the background, also after one has ended', async () => {
  const states: string[] = [];
  const pool = createTransferPool(createConcurrency(2), NEVER_ABORTED, undefined, () =>
    states.push('all wait'),
  );
  const [recorded, transferred] = [createDeferred<void>(), createDeferred<void>()];
  await pool.submit((slot) =>
    slot.inBackground(() => {
      states.push('record');
      return recorded.promise;
    }),
  );
  await pool.submit(() => transferred.promise);
  states.push('transfer ends');
  transferred.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  recorded.resolve();
  await pool.waitForIdle();
  assert.deepEqual(states, ['record', 'all wait', 'transfer ends', 'all wait']);
});

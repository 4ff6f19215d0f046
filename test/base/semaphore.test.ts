import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TickhaulError } from '../../src/base/errors.js';
import { Semaphore } from '../../src/base/semaphore.js';
import { yieldToEventLoop } from '../../src/base/wait.js';

const never = new AbortController().signal;

/** Acquired sizes, in order. */
function queue(slots: Semaphore): {
  readonly inside: string[];
  enter(name: string, size: number, signal?: AbortSignal): Promise<() => void>;
} {
  const inside: string[] = [];
  return {
    inside,
    async enter(name, size, signal = never) {
      const leave = await slots.acquire(size, signal);
      inside.push(name);
      return leave;
    },
  };
}

test('admits up to the capacity, in the order of requests', async () => {
  const { inside, enter } = queue(new Semaphore(10));
  const leave = await enter('a', 6);
  void enter('b', 6);
  void enter('c', 1);
  await yieldToEventLoop();
  assert.deepEqual(inside, ['a'], 'a small one does not overtake');
  leave();
  leave();
  await yieldToEventLoop();
  assert.deepEqual(inside, ['a', 'b', 'c']);
});

test('admits a size above the capacity alone', async () => {
  const { inside, enter } = queue(new Semaphore(10));
  const leave = await enter('a', 1);
  const huge = enter('huge', 50);
  void enter('b', 1);
  await yieldToEventLoop();
  assert.deepEqual(inside, ['a']);
  leave();
  (await huge)();
  await yieldToEventLoop();
  assert.deepEqual(inside, ['a', 'huge', 'b']);
});

test('an aborted request unblocks the next ones, and acquires nothing', async () => {
  const { inside, enter } = queue(new Semaphore(10));
  const controller = new AbortController();
  const leave = await enter('a', 6);
  const given = enter('b', 6, controller.signal);
  void enter('c', 4);
  controller.abort(new TickhaulError('interrupted', 'test'));
  await assert.rejects(given, { code: 'interrupted' });
  await yieldToEventLoop();
  assert.deepEqual(inside, ['a', 'c']);
  leave();
  await enter('d', 6, never);
  await assert.rejects(enter('e', 1, controller.signal), { code: 'interrupted' });
});

test('a larger capacity admits waiting requests, a smaller one only affects later requests', async () => {
  const semaphore = new Semaphore(1);
  const { inside, enter } = queue(semaphore);
  const leave = await enter('a', 1);
  void enter('b', 1);
  void enter('c', 1);
  await yieldToEventLoop();
  assert.deepEqual([inside, semaphore.waiting], [['a'], 2]);
  semaphore.capacity = 2;
  await yieldToEventLoop();
  assert.deepEqual(inside, ['a', 'b']);
  semaphore.capacity = 1;
  leave();
  await yieldToEventLoop();
  assert.deepEqual(inside, ['a', 'b']);
});

test('a task that fails releases its size', async () => {
  const semaphore = new Semaphore(1);
  await assert.rejects(
    semaphore.run(() => Promise.reject(new RangeError('failed'))),
    RangeError,
  );
  assert.equal(await semaphore.run(async () => 1), 1);
  assert.ok(semaphore.isIdle);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TickhaulError } from '../../src/base/errors.js';
import { createWeightedSemaphore, type WeightedSemaphore } from '../../src/download/weighted-semaphore.js';

const never = new AbortController().signal;

/** Acquired sizes, in order. */
function queue(slots: WeightedSemaphore): {
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

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('admits up to the capacity, in the order of requests', async () => {
  const { inside, enter } = queue(createWeightedSemaphore(10));
  const leave = await enter('a', 6);
  void enter('b', 6);
  void enter('c', 1);
  await settled();
  assert.deepEqual(inside, ['a'], 'a small one does not overtake');
  leave();
  leave();
  await settled();
  assert.deepEqual(inside, ['a', 'b', 'c']);
});

test('admits a size above the capacity alone', async () => {
  const { inside, enter } = queue(createWeightedSemaphore(10));
  const leave = await enter('a', 1);
  const huge = enter('huge', 50);
  void enter('b', 1);
  await settled();
  assert.deepEqual(inside, ['a']);
  leave();
  (await huge)();
  await settled();
  assert.deepEqual(inside, ['a', 'huge', 'b']);
});

test('an aborted request unblocks the next ones, and acquires nothing', async () => {
  const { inside, enter } = queue(createWeightedSemaphore(10));
  const controller = new AbortController();
  const leave = await enter('a', 6);
  const given = enter('b', 6, controller.signal);
  void enter('c', 4);
  controller.abort(new TickhaulError('interrupted', 'test'));
  await assert.rejects(given, { code: 'interrupted' });
  await settled();
  assert.deepEqual(inside, ['a', 'c']);
  leave();
  await enter('d', 6, never);
  await assert.rejects(enter('e', 1, controller.signal), { code: 'interrupted' });
});

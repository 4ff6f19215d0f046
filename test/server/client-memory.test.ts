import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TextBudget } from '../../src/raw-feeds/read/text-budget.js';
import { SHARED_TEXT_BYTES, withClientBuffers } from '../../src/server/client-memory.js';

test('gives large buffers while a quarter of the shared memory stays free, and takes them back', async () => {
  const shared = new TextBudget(SHARED_TEXT_BYTES);
  const sizes: number[] = [];
  const replayAll = (clients: number): Promise<void> =>
    withClientBuffers(shared, 1, async ({ bufferBytes }) => {
      sizes.push(bufferBytes);
      if (clients > 1) await replayAll(clients - 1);
    });
  await replayAll(100);
  assert.equal(sizes.length, 100);
  const [large, small] = [256 * 1024, 40 * 1024];
  assert.deepEqual(sizes, [...Array(16).fill(large), ...Array(84).fill(small)]);
  assert.equal(shared.left, SHARED_TEXT_BYTES);
});

test('takes large buffers back after an error', async () => {
  const shared = new TextBudget(SHARED_TEXT_BYTES);
  await assert.rejects(
    withClientBuffers(shared, 1, () => Promise.reject(new Error('refused'))),
    /refused/,
  );
  assert.equal(shared.left, SHARED_TEXT_BYTES);
});

test('divides the buffers of a replay by its inputs, down to 8 KB', async () => {
  const shared = new TextBudget(SHARED_TEXT_BYTES);
  for (const [inputs, bytes] of [
    [4, 64 * 1024],
    [1000, 8 * 1024],
  ] as const) {
    assert.equal(await withClientBuffers(shared, inputs, async ({ bufferBytes }) => bufferBytes), bytes);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHandover } from '../../src/replay/line-jobs.js';

interface Box {
  value: number;
}

test('yields all buffers before it throws, and overwrites no buffer that is being read', async () => {
  const handover = createHandover<Box>([{ value: 0 }, { value: 0 }], async (exchange) => {
    let box = await exchange(undefined);
    for (let i = 0; i < 5; i++) {
      box.value = i;
      box = await exchange(box);
    }
    throw new Error('after the last');
  });
  const seen: number[] = [];
  await assert.rejects(async () => {
    for await (const box of handover) {
      const { value } = box;
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(box.value, value);
      seen.push(value);
    }
  }, /after the last/);
  assert.deepEqual(seen, [0, 1, 2, 3, 4]);
});

test('ends the producer when the reader stops', async () => {
  let made = 0;
  const handover = createHandover<Box>([{ value: 0 }, { value: 0 }], async (exchange) => {
    for (let box = await exchange(undefined); ; box = await exchange(box)) box.value = made++;
  });
  for await (const { value } of handover) if (value === 1) break;
  assert.ok(made <= 4, `${made} were made`);
});

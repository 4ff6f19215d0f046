import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { copyBytes, freeMemory } from '../../src/base/memory.js';

const ROOM = 1024;

/** A buffer in memory of one thread, or in shared memory. */
function createBuffer(isShared: boolean, bytes: number): Buffer {
  return isShared ? Buffer.from(new SharedArrayBuffer(bytes)) : Buffer.alloc(bytes);
}

test('copies bytes of any length and alignment, and nothing else', () => {
  const property = fc.property(
    fc.uint8Array({ maxLength: 400 }),
    fc.nat(16),
    fc.nat(16),
    fc.boolean(),
    fc.boolean(),
    (bytes, from, at, isSourceShared, isTargetShared) => {
      const source = createBuffer(isSourceShared, ROOM).subarray(from, from + bytes.length);
      source.set(bytes);
      const target = createBuffer(isTargetShared, ROOM).fill(255);
      copyBytes(source, target, at);
      const rest = Buffer.alloc(ROOM - at - bytes.length, 255);
      assert.deepEqual([...target], [...Buffer.concat([Buffer.alloc(at, 255), bytes, rest])]);
    },
  );
  fc.assert(property, { numRuns: 500 });
});

const MEGABYTE = 1024 * 1024;

test('frees memory without a garbage collection, and empties all views of it', () => {
  const buffers = Array.from({ length: 64 }, () => Buffer.alloc(MEGABYTE, 1));
  const views = buffers.map((buffer) => buffer.subarray(10, 20));
  const before = process.memoryUsage().arrayBuffers;
  freeMemory(buffers);
  assert.ok(process.memoryUsage().arrayBuffers <= before - 60 * MEGABYTE);
  for (const { length } of [...buffers, ...views]) assert.equal(length, 0);
});

test('frees memory once that several buffers have in common, or that is free already', () => {
  const memory = Buffer.alloc(MEGABYTE);
  const halves = [memory.subarray(0, MEGABYTE / 2), memory.subarray(MEGABYTE / 2)];
  freeMemory(halves);
  freeMemory([...halves, memory]);
  assert.equal(memory.length, 0);
});

test('keeps memory that small buffers share', () => {
  const small = Buffer.from('a small buffer');
  const other = Buffer.from('another one');
  freeMemory([small]);
  freeMemory([]);
  assert.equal(`${small}, ${other}`, 'a small buffer, another one');
});

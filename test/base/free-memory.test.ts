import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeMemory } from '../../src/base/memory.js';

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

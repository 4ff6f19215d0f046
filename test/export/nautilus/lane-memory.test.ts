import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { snappyUncompress } from 'hyparquet';
import { KernelMemory } from '../../../src/export/nautilus/lane-memory.js';

test('compresses bytes that a reader of Snappy decompresses', () => {
  const memory = new KernelMemory();
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 5000 }),
    fc
      .tuple(fc.uint8Array({ minLength: 1, maxLength: 20 }), fc.integer({ min: 1, max: 20_000 }))
      .map(([part, count]) =>
        new Uint8Array(part.length * count).map((_, i) => part[i % part.length] as number),
      ),
    fc
      .array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 1, max: 90_000 })), { maxLength: 6 })
      .map((runs) => Uint8Array.from(runs.flatMap(([value, length]) => Array(length).fill(value)))),
  );
  fc.assert(
    fc.property(bytes, (input) => {
      const at = memory.load('input', input);
      const compressed = memory.compress(memory.bytes.subarray(at, at + input.length)).slice();
      const output = new Uint8Array(input.length);
      snappyUncompress(compressed, output);
      assert.deepEqual(output, input);
    }),
  );
});

test('compresses repeated bytes well', () => {
  const memory = new KernelMemory();
  const input = Buffer.from('0123456789abcdef'.repeat(10_000));
  const at = memory.load('input', input);
  const { length } = memory.compress(memory.bytes.subarray(at, at + input.length));
  assert.ok(length < input.length / 20, `${length} bytes`);
});

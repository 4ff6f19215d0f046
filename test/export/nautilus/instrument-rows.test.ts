import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { snappyUncompress } from 'hyparquet';
import { openSpillFile } from '../../../src/export/job-memory.js';
import { RowSorter } from '../../../src/export/nautilus/instrument-rows.js';
import { KernelMemory, LaneSet } from '../../../src/export/nautilus/lane-memory.js';

/** A number of four bytes, and the time. */
const WIDTHS = [4, 8];

test('merges sorted runs stably, of any sizes', async () => {
  const memory = new KernelMemory();
  const lanes = new LaneSet(memory, WIDTHS);
  const sorted = new LaneSet(memory, WIDTHS);
  const runs = fc.array(fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 30 }), {
    minLength: 1,
    maxLength: 8,
  });
  // More rows than a block of the spill has.
  const longRuns = fc
    .array(fc.integer({ min: 1, max: 4999 }), { minLength: 2, maxLength: 3 })
    .map((steps) => steps.map((step) => Array.from({ length: 9000 }, (_, row) => (row * step) % 5000)));
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 9, arbitrary: runs }, { weight: 1, arbitrary: longRuns }),
      async (times) => {
        const spill = await openSpillFile();
        try {
          const sorter = new RowSorter(WIDTHS);
          let number = 0;
          for (const run of times) {
            const numbers = Uint32Array.from(run, () => number++);
            const chunk = BigUint64Array.from(run, (time) => BigInt(time) * 1000n);
            lanes.load([
              { rows: run.length, lanes: [new Uint8Array(numbers.buffer), new Uint8Array(chunk.buffer)] },
            ]);
            await sorter.append(lanes, sorted, memory, spill);
          }
          const merged: number[] = [];
          for await (const { rows, lanes } of sorter.merge(spill)) {
            const bytes = Buffer.from(lanes[0] as Uint8Array);
            for (let row = 0; row < rows; row++) merged.push(bytes.readUInt32LE(4 * row));
          }
          const flat = times.flat();
          const expected = flat
            .map((_, i) => i)
            .sort((a, b) => (flat[a] as number) - (flat[b] as number) || a - b);
          assert.deepEqual(merged, expected);
        } finally {
          await spill.close();
        }
      },
    ),
    { numRuns: 100, endOnFailure: true },
  );
});

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

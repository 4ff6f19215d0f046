import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
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

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { convertSources, type OnText } from '../../../src/convert/convert-file.js';
import { planThreads } from '../../../src/convert/threads/kernel-pool.js';
import { createOutputOptions } from '../../../src/format/output-formats.js';
import { readSource } from '../../../src/gzip/read-source.js';
import { tempDir } from '../../helpers/temp.js';
import { csvOf } from '../day-files.js';
import { kernelsOf, outputInMemory } from './converting.js';

test('a large source gets the processors that nothing else uses', () => {
  const shares = (bytes: number, spare: number, processors: number): readonly unknown[] => {
    const { inflateThreads, initialKernels, maxKernels } = planThreads(bytes, spare, processors);
    return [inflateThreads, initialKernels, maxKernels];
  };
  const large = 100_000_000;
  assert.deepEqual(shares(large, 15, 16), [4, 8, 8]);
  assert.deepEqual(shares(large, 63, 64), [4, 8, 8]);
  assert.deepEqual(shares(large, 7, 8), [2, 5, 5]);
  assert.deepEqual(shares(large, 3, 4), [1, 3, 3]);
  // The reader inflates, and a kernel has the other processor.
  assert.deepEqual(shares(large, 1, 2), [0, 1, 2]);
  // Other files use all processors.
  assert.deepEqual(shares(large, 0, 16), [0, 0, 0]);
  assert.deepEqual(shares(large, -3, 16), [0, 0, 0]);
  // More jobs than processors.
  assert.deepEqual(shares(large, 15, 2), [0, 1, 2]);
  assert.deepEqual(shares(1_000_000, 15, 16), [0, 0, 0]);
  assert.deepEqual(shares(10_000_000, 15, 16), [undefined, 1, 4]);
});

test('outputs are the same, however a source is inflated', async (t) => {
  const path = join(await tempDir(t), 'day.csv.gz');
  const [header = '', ...rows] = csvOf('trades', 20_000).split(/(?<=\n)/);
  const csv = gzipSync(header + rows.join('').repeat(11), { level: 1 });
  // Several chunks of 1 MiB in which threads find their starts, and the end of a member in one.
  await writeFile(path, csv);
  assert.ok(csv.length > 2_200_000, `${csv.length} bytes`);
  for (const options of [createOutputOptions('parquet', {}), createOutputOptions('ndjson', {})]) {
    const outputs: Buffer[] = [];
    for (const [inflateThreads, kernels] of [
      [undefined, 0],
      [0, 1],
      [1, 0],
      [3, 2],
    ] as const) {
      const output = outputInMemory();
      const { signal } = new AbortController();
      const read = (onText: OnText): ReturnType<typeof readSource<'md5'>> =>
        readSource(path, { hashes: ['md5'], onText, inflateThreads, signal });
      const input = { path, dataType: 'trades', options, output, kernels: kernelsOf(kernels) };
      await convertSources(input, [{ path, dataType: 'trades', read }], signal);
      outputs.push(output.bytes());
    }
    const [first, ...others] = outputs as [Buffer, ...Buffer[]];
    for (const output of others) assert.ok(output.equals(first));
  }
});

import assert from 'node:assert/strict';
import {
  type BatchKernel,
  COLUMN_BATCHES,
  type EncodedBatch,
  type OutputOptions,
} from '../../../src/format/output-format.js';
import { createBatchKernel } from '../../../src/format/output-formats.js';
import type { Random } from '../../../src/sandbox/simulation/seeded-random.js';
import { pick, randomRows, randomSchema, textOf } from '../fuzz/random-rows.js';
import type { FuzzTarget } from '../fuzz/target.js';
import { referenceBatches } from '../reference/csv/parser.js';
import { createReferenceEncoder } from '../reference/parquet/row-group.js';

const SOURCE = 'day.csv.gz';

/**
 * Compares row groups of random rows, passed in pieces of any number of rows, with those of the reference.
 */
export const rowGroupTarget: FuzzTarget = {
  name: 'row-group',
  async round(random, keep) {
    const schema = randomSchema(random);
    const options = randomOptions(random);
    const line = 2 + random.int(1000);
    const times = options.times === 'int' ? 'int' : 'timestamp';
    const encode = await createReferenceEncoder({ ...options, times, schema });
    const kernel = await createBatchKernel({ source: SOURCE, schema, options });
    kernel.line = line;
    const text = textOf(random, randomRows(random, schema, rowCount(random, schema.length)), true);
    const numberText = options.numbers === 'string';
    const batchRows = COLUMN_BATCHES.rows(options, schema.length);
    keep(text);
    let expected: readonly EncodedBatch[];
    try {
      const reading = {
        source: SOURCE,
        schema,
        batchRows,
        numberText,
        line,
      };
      expected = referenceBatches(text, reading).map(encode);
    } catch (error) {
      const { message } = error as Error;
      assert.throws(() => encodeInPieces(kernel, text, batchRows, random), {
        name: 'TickhaulError',
        code: 'corrupt',
        message,
      });
      return;
    }
    assertSame(encodeInPieces(kernel, text, batchRows, random), expected);
  },
};

function randomOptions(random: Random): OutputOptions {
  return {
    format: 'parquet',
    compression: pick(random, ['none', 'none', 'none', 'zstd', 'snappy', 'gzip'] as const),
    times: pick(random, ['timestamp', 'int'] as const),
    numbers: pick(random, ['double', 'double', 'string'] as const),
    rowGroup: pick(random, [1, 2, 7, 100, 1000, 1025, 4096]),
  };
}

/** Usually few; sometimes the thousands at which dictionaries grow or are abandoned. */
function rowCount(random: Random, columns: number): number {
  return random.chance(0.9) ? random.int(60) : random.int(Math.max(60, 40_000 / columns));
}

/**
 * All row groups of a text, each of which is passed in pieces of complete rows; copied, since the kernel reuses its
 * memory.
 */
function encodeInPieces(
  kernel: BatchKernel,
  text: Buffer,
  batchRows: number,
  random: Random,
): readonly EncodedBatch[] {
  const groups: EncodedBatch[] = [];
  for (let from = 0; from < text.length; ) {
    const groupEnd = endOfRows(text, from, batchRows);
    while (from < groupEnd) {
      const minEnd = Math.min(groupEnd, from + 1 + random.int(random.chance(0.5) ? 300 : 1 << 20));
      const found = text.indexOf(10, minEnd - 1);
      const to = found < 0 ? text.length : found + 1;
      kernel.getPieceBuffer().set(text.subarray(from, to));
      kernel.parse(to - from);
      from = to;
    }
    const group = kernel.finish();
    assert.ok(group);
    groups.push(copyGroup(group));
  }
  return groups;
}

function endOfRows(text: Buffer, from: number, rows: number): number {
  let end = from;
  for (let row = 0; row < rows && end < text.length; row++) {
    const found = text.indexOf(10, end);
    end = found < 0 ? text.length : found + 1;
  }
  return end;
}

function copyGroup(group: EncodedBatch): EncodedBatch {
  return { ...group, bytes: group.bytes.slice() };
}

function assertSame(actual: readonly EncodedBatch[], expected: readonly EncodedBatch[]): void {
  assert.deepEqual(
    actual.map((group) => ({ ...group, bytes: undefined })),
    expected.map((group) => ({ ...group, bytes: undefined })),
  );
  for (const [i, { bytes }] of actual.entries()) {
    assert.ok(Buffer.from(bytes).equals(expected[i]?.bytes ?? Buffer.alloc(0)), `row group ${i}`);
  }
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ColumnKind } from '../../../src/day-files/data-types.js';
import { createBatchKernel } from '../../../src/format/output-formats.js';
import type { EncodedRowGroup } from '../../../src/format/parquet/parquet-writer.js';
import { referenceBatches } from '../reference/csv/parser.js';
import { createReferenceEncoder } from '../reference/parquet/row-group.js';
import { type Cell, encodeBatches, rowOf, schemaOf, type TestColumn } from './batches.js';

type CellAt = (row: number, rows: number) => Cell;

const START = 1_585_699_200_245_001;
/** Pseudorandom numbers, the same in each run. */
const mixed = (row: number): number => Math.imul(row + 1, 0x9e3779b1) >>> 0;
const id = (row: number): string => `${10n ** 15n + BigInt(row)}`;
const word = (row: number, of: number): string => `w${mixed(row) % of}`;

/** Cells of columns, by a description. */
const COLUMNS: Readonly<Record<string, readonly [ColumnKind, CellAt]>> = {
  'one number': ['number', () => 7],
  'all numbers distinct': ['number', (row) => row / 8],
  'half of the numbers distinct': ['number', (row, rows) => row % Math.max(1, Math.floor(rows / 2))],
  'a number more than half distinct': ['number', (row, rows) => row % (Math.floor(rows / 2) + 1)],
  '7372 distinct, then the first again': ['number', (row) => (row < 7372 ? row : row % 50)],
  '7374 distinct, then the first again': ['number', (row) => (row < 7374 ? row : row % 50)],
  'zeros of both signs': ['number', (row) => (row % 3 ? -0 : 0)],
  'numbers in runs': ['number', (row) => Math.floor(row / 29) % 11],
  'times that grow': ['time', (row) => START + row * 1000 - (row % 7)],
  'times that jump among few': ['time', (row) => START + (mixed(row) % 5) * 1e9],
  'times that step back one time in eight': ['time', (row) => (row % 8 === 7 ? 5 : 10 + (row % 8))],
  'times that step back one time in nine': ['time', (row) => (row % 9 === 8 ? 5 : 10 + (row % 9))],
  'a sixteenth of the times distinct': ['time', (row, rows) => -(row % Math.max(1, Math.floor(rows / 16)))],
  'more than a sixteenth distinct': ['time', (row, rows) => -(row % (Math.floor(rows / 16) + 1))],
  'times far apart': ['time', (row) => (row % 2 ? 1 : -1) * (2 ** 52 - mixed(row))],
  'times of any width': ['time', (row) => 2 ** (row % 51)],
  'whole numbers': ['integer', (row) => mixed(row) % 1000],
  'booleans by chance': ['boolean', (row) => mixed(row) % 2 === 0],
  'booleans in runs': ['boolean', (row) => row % 300 < 200],
  true: ['boolean', () => true],
  ids: ['text', id],
  'ids without a common beginning': ['text', (row) => `${mixed(row)}`],
  'words that repeat': ['text', (row) => word(row, 20)],
  'half of the texts distinct': ['text', (row, rows) => word(row % Math.max(1, Math.floor(rows / 2)), 1e9)],
  'a text more than half distinct': ['text', (row, rows) => word(row % (Math.floor(rows / 2) + 1), 1e9)],
  'two shared bytes a text': ['text', (row) => `ab${'cdefghijklmnopqrstuvwxyz'[row % 24]}${row}`],
  'texts of every length': ['text', (row) => `${mixed(row)}${'é'.repeat(row % 70)}`],
  'texts alike to their last bytes': ['text', (row) => `${'x'.repeat(row % 40)}${row % 3}`],
  'zero bytes': ['text', (row) => `a${'\0'.repeat(row % 20)}`],
};

const ROWS = [1, 3, 8, 9, 32, 33, 128, 129, 130, 1024, 8193];
/** Where nulls do not change what the encodings are chosen by. */
const MORE_ROWS = [8192, 20_000];

const NULLS: Readonly<Record<string, (row: number, rows: number) => boolean>> = {
  none: () => false,
  some: (row) => mixed(row) % 3 === 0,
  'all but the last': (row, rows) => row < rows - 1,
  all: () => true,
  'the second half': (row, rows) => row >= rows / 2,
};

async function assertSameGroups(
  columns: readonly TestColumn[],
  batchRows: number,
  numbers: 'double' | 'string',
): Promise<void> {
  const options = { compression: 'none', times: 'timestamp', numbers } as const;
  const schema = schemaOf(columns);
  const actual = await encodeBatches(columns, batchRows, {
    ...options,
    format: 'parquet',
    rowGroup: batchRows,
  });
  const rows = Array.from(columns[0]?.cells ?? [], (_, row) => `${rowOf(columns, row).join()}\n`);
  const reading = { source: '', schema, batchRows, numberText: numbers === 'string' };
  const expected = referenceBatches(Buffer.from(rows.join('')), reading).map(
    await createReferenceEncoder({ ...options, schema }),
  );
  assert.equal(actual.length, expected.length);
  for (const [at, group] of (actual as EncodedRowGroup[]).entries()) {
    for (const [i, { name }] of columns.entries()) {
      assert.deepEqual(group.columns[i], expected[at]?.columns[i], `${name}, ${group.rows} rows`);
    }
    assert.ok(Buffer.from(group.bytes).equals(expected[at]?.bytes ?? new Uint8Array()), `${group.rows} rows`);
  }
}

function testColumns(rows: number, isNull: (row: number, rows: number) => boolean): TestColumn[] {
  return Object.entries(COLUMNS).map(([name, [kind, cellAt]]) => {
    const cells = Array.from({ length: rows }, (_, row) => (isNull(row, rows) ? null : cellAt(row, rows)));
    return { name, kind, cells };
  });
}

for (const [nulls, isNull] of Object.entries(NULLS)) {
  test(`encodes row groups of all sizes like the reference; nulls: ${nulls}`, async () => {
    for (const rows of nulls === 'none' ? [...ROWS, ...MORE_ROWS] : ROWS)
      await assertSameGroups(testColumns(rows, isNull), rows, 'double');
  });
}

test('encodes a batch that is larger than those before it', async () => {
  const columns = testColumns(3000, () => false).filter(({ kind }) => kind === 'text');
  const lines = Array.from({ length: 3000 }, (_, row) => `${rowOf(columns, row).join()}\n`);
  const options = { compression: 'none', times: 'timestamp', numbers: 'double', format: 'parquet' } as const;
  const encode = async (...sizes: readonly number[]): Promise<Buffer[]> => {
    const kernel = await createBatchKernel({
      source: 'day.csv.gz',
      schema: schemaOf(columns),
      options: { ...options, rowGroup: 3000 },
    });
    return sizes.map((rows) => {
      kernel.parse(kernel.getPieceBuffer().write(lines.slice(0, rows).join('')));
      return Buffer.from(kernel.finish()?.bytes ?? []);
    });
  };
  const [small = [], large = []] = [await encode(2), await encode(3000)];
  assert.ok(Number(large[0]?.length) > 200_000);
  assert.deepEqual(await encode(2, 2, 3000, 3000, 2), [small[0], small[0], large[0], large[0], small[0]]);
});

test('encodes numbers as text like the reference', async () => {
  for (const isNull of Object.values(NULLS)) {
    const columns = testColumns(3000, isNull).filter(({ kind }) => kind === 'number');
    await assertSameGroups(columns, 1000, 'string');
  }
});

test('encodes columns of several pages with nulls anywhere', async () => {
  const rows = 136_000;
  const long = 'x'.repeat(700);
  const several: Readonly<Record<string, readonly [ColumnKind, CellAt]>> = {
    price: ['number', (row) => mixed(row)],
    few: ['number', (row) => mixed(row) % 9],
    time: ['time', (row) => START + row * 31],
    flag: ['boolean', (row) => mixed(row) % 5 === 0],
    id: ['text', id],
    long: ['text', (row) => `${long.slice(0, mixed(row) % 700)}${row}`],
  };
  for (const isNull of [() => false, (row: number) => row % 1000 < 400, (row: number) => row < 135_000]) {
    for (const [name, [kind, cellAt]] of Object.entries(several)) {
      const count = name === 'long' ? 20_000 : rows;
      const cells = Array.from({ length: count }, (_, row) => (isNull(row) ? null : cellAt(row, count)));
      await assertSameGroups([{ name, kind, cells }], count, 'double');
    }
  }
});

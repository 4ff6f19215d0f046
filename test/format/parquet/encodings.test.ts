import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ColumnKind } from '../../../src/day-files/data-types.js';
import { rounds } from '../../helpers/services.js';
import { type Cell, parquetOf, type TestColumn } from './batches.js';
import { cellsOf, duckOfFile, readWithHyparquet } from './readers.js';

const duck = duckOfFile();

/** Runs of one value, of random lengths, to test RLE, bit packing and the transitions between them. */
function runsOf<T>(value: fc.Arbitrary<T>, longest: number): fc.Arbitrary<T[]> {
  const run = fc.tuple(value, fc.integer({ min: 1, max: longest }));
  return fc
    .array(run, { minLength: 1, maxLength: 40 })
    .map((runs) => runs.flatMap(([item, count]) => Array.from({ length: count }, () => item)));
}

const MAX_INTEGER = Number.MAX_SAFE_INTEGER;
const number = fc.double({ noNaN: true, noDefaultInfinity: true });
const price = fc.integer({ min: -300, max: 300 }).map((tick) => tick / 10);
const time = fc.oneof(
  fc.integer({ min: 1_585_699_200_000_000, max: 1_585_699_200_000_999 }),
  fc.integer({ min: -(2 ** 40), max: 2 ** 40 }),
  fc.integer({ min: 0, max: 2 ** 51 }),
);
const anyTime = fc.oneof(time, fc.maxSafeInteger(), fc.constantFrom(MAX_INTEGER, -MAX_INTEGER));
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const id = fc.bigInt({ min: 10n ** 15n, max: 10n ** 15n + 999n }).map(String);
const word = fc.constantFrom('buy', 'sell', 'unknown', 'é');

const COLUMNS: Readonly<Record<string, [ColumnKind, fc.Arbitrary<Cell[]>]>> = {
  'any doubles': ['number', fc.array(number, { minLength: 1, maxLength: 300 })],
  'few doubles in runs': ['number', runsOf(price, 100)],
  'zeros of both signs': ['number', runsOf(fc.constantFrom(0, -0, 1), 30)],
  'near times': ['time', fc.array(time, { minLength: 1, maxLength: 300 })],
  'any times': ['time', fc.array(anyTime, { minLength: 1, maxLength: 300 })],
  'times in runs': ['time', runsOf(time, 150)],
  'jumping times': ['time', runsOf(fc.constantFrom(5, 10, MAX_INTEGER), 20)],
  booleans: ['boolean', runsOf(fc.boolean(), 60)],
  'any text': ['text', fc.array(text, { minLength: 1, maxLength: 200 })],
  'ids alike': ['text', fc.array(id, { minLength: 1, maxLength: 200 })],
  'words in runs': ['text', runsOf(word, 90)],
};

for (const [which, [kind, cells]] of Object.entries(COLUMNS)) {
  test(`reads back ${which}`, async () => {
    const property = fc.asyncProperty(cells, fc.integer({ min: 0, max: 9 }), async (all, every) => {
      const holed = all.map((cell, i) => (every > 1 && i % every === 1 ? null : cell));
      const column: TestColumn = { name: 'x', kind, cells: holed };
      const file = await parquetOf([column], { compression: 'none' });
      assert.deepEqual(await readWithHyparquet(file, ['x']), cellsOf([column]));
      const plain = await parquetOf([column], { compression: 'none', encodings: 'plain' });
      assert.deepEqual(await readWithHyparquet(plain, ['x']), cellsOf([column]));
      assert.match(await encodingsOf(plain), /^(?:PLAIN, )?RLE(?:, (?:PLAIN|RLE_DICTIONARY))?$/);
    });
    await fc.assert(property, { numRuns: rounds(30) });
  });
}

/** Steps of every width, up and down, so that each width of packed bits occurs. */
function widening(widest: number): number[] {
  const steps = Array.from({ length: widest }, (_, width) => [0, 1, 2 ** width, 2 ** width - 1, -3]).flat();
  const values = steps.flatMap((step) =>
    Array.from({ length: 32 }, (_, i) => (i % 5 === 4 ? step : (i % 3) * step)),
  );
  return values.map((value, i) => (i % 2 ? value : -value) + i);
}

test('writes differences of every width, read by DuckDB and hyparquet', async () => {
  const column: TestColumn = { name: 'x', kind: 'time', cells: widening(49) };
  const file = await parquetOf([column], { compression: 'none' });
  assert.deepEqual(await encodingsOf(file), 'RLE, DELTA_BINARY_PACKED');
  assert.deepEqual(await readWithHyparquet(file, ['x']), cellsOf([column]));
  assert.deepEqual(await duckColumn(file, 'epoch_us(x)'), column.cells);
});

test('writes indices of every width up to 15 bits, read by DuckDB and hyparquet', async () => {
  for (let width = 1; width <= 15; width++) {
    const distinct = 2 ** width - (width % 2);
    const cells = Array.from({ length: 2 * distinct + 50 }, (_, i) => ((i >> 1) % distinct) / 4);
    const column: TestColumn = { name: 'x', kind: 'number', cells: [...cells, ...Array(100).fill(0.25)] };
    const file = await parquetOf([column], { compression: 'none' });
    assert.match(await encodingsOf(file), /RLE_DICTIONARY/);
    assert.deepEqual(await readWithHyparquet(file, ['x']), cellsOf([column]));
    assert.deepEqual(await duckColumn(file, 'x'), column.cells);
  }
});

const CHOICES: Readonly<Record<string, TestColumn>> = {
  'RLE, PLAIN': { name: 'x', kind: 'number', cells: range(100, (i) => 1 / (i + 1)) },
  'PLAIN, RLE, RLE_DICTIONARY': {
    name: 'x',
    kind: 'time',
    cells: range(1000, (i) => [7, 3, 9, 1][i % 4] ?? 0),
  },
  'RLE, DELTA_BINARY_PACKED': { name: 'x', kind: 'time', cells: range(1000, (i) => i * 1000) },
  'RLE, PLAIN ': { name: 'x', kind: 'time', cells: [-MAX_INTEGER, MAX_INTEGER] },
  RLE: { name: 'x', kind: 'boolean', cells: range(100, (i) => i < 50) },
  'RLE, DELTA_BYTE_ARRAY': { name: 'x', kind: 'text', cells: range(2000, (i) => `prefix-${i}`) },
  'RLE, DELTA_LENGTH_BYTE_ARRAY': {
    name: 'x',
    kind: 'text',
    cells: range(2000, (i) => `${(i * 37) % 2000}-`),
  },
  'PLAIN, RLE, RLE_DICTIONARY ': { name: 'x', kind: 'text', cells: range(100, (i) => `w${i % 3}`) },
};

for (const [encodings, column] of Object.entries(CHOICES)) {
  test(`${column.kind} ${column.cells.slice(0, 2)} … uses ${encodings}`, async () => {
    const file = await parquetOf([column]);
    assert.equal(await encodingsOf(file), encodings.trim());
    const read = column.kind === 'time' ? 'epoch_us(x)' : 'x';
    assert.deepEqual(await duckColumn(file, read), column.cells);
  });
}

test('writes a text that is longer than a page', async () => {
  const long = 'ö'.repeat(800_000);
  const column: TestColumn = { name: 'x', kind: 'text', cells: [long, 'a', null, `${long}b`, 'c'] };
  const file = await parquetOf([column]);
  assert.deepEqual(await duckColumn(file, 'x'), column.cells);
});

function range<T extends Cell>(count: number, cell: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => cell(i));
}

async function duckColumn(file: Uint8Array, expression: string): Promise<unknown[]> {
  return (await duck.rows(file, `SELECT ${expression} FROM $file`)).flat();
}

async function encodingsOf(file: Uint8Array): Promise<string> {
  const [[encodings] = []] = await duck.rows(file, 'SELECT encodings FROM parquet_metadata($file)');
  return String(encodings);
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OUTPUT_FORMATS } from '../../../src/format/output-formats.js';
import { type Cell, parquetOf, type TestColumn } from './batches.js';
import { cellsOf, duckOfFile, readWithHyparquet } from './readers.js';

const duck = duckOfFile();

const START = 1_585_699_200_245_001;

/** Columns of every kind, with nulls selected by `isNull`, except in the leading columns. */
function columnsOf(rows: number, isNull: (row: number) => boolean): TestColumn[] {
  const cells = (cell: (row: number) => Cell): Cell[] => Array.from({ length: rows }, (_, row) => cell(row));
  const some = (cell: (row: number) => Cell): Cell[] => cells((row) => (isNull(row) ? null : cell(row)));
  return [
    { name: 'exchange', kind: 'text', cells: cells(() => 'deribit') },
    { name: 'symbol', kind: 'text', cells: cells((row) => `S-${row % 3}`) },
    { name: 'timestamp', kind: 'time', cells: cells((row) => START + row * 1000 - (row % 7)) },
    { name: 'local_timestamp', kind: 'time', cells: cells((row) => START + 3 + row * 1000) },
    { name: 'funding_timestamp', kind: 'time', cells: some((row) => START + (row % 2) * 28_800_000_000) },
    { name: 'id', kind: 'text', cells: some((row) => `${10n ** 20n + BigInt(row)}`) },
    { name: 'uuid', kind: 'text', cells: some((row) => `é${(row * 2_654_435_761) % 4_294_967_296}`) },
    { name: 'side', kind: 'text', cells: some((row) => (row % 5 > 2 ? 'buy' : 'sell')) },
    { name: 'is_snapshot', kind: 'boolean', cells: some((row) => row % 100 < 50) },
    { name: 'price', kind: 'number', cells: some((row) => 6421.5 + (row % 11) / 2) },
    { name: 'amount', kind: 'number', cells: some((row) => (row % 3 === 0 ? -0 : 1 / (row + 1))) },
    { name: 'asks[0].price', kind: 'number', cells: some((row) => (row % 2 ? -0 : 0)) },
  ];
}

const NULLS: Readonly<Record<string, (row: number) => boolean>> = {
  none: () => false,
  some: (row) => row % 3 === 1,
  all: () => true,
  'the first': (row) => row === 0,
  'the last': (row) => row === 299,
  'a long run': (row) => row > 20 && row < 250,
};

const names = (columns: readonly TestColumn[]): string[] => columns.map(({ name }) => name);

for (const [which, isNull] of Object.entries(NULLS)) {
  test(`reads back columns with nulls: ${which}`, async () => {
    const columns = columnsOf(300, isNull);
    const file = await parquetOf(columns);
    assert.deepEqual(await readWithHyparquet(file, names(columns)), cellsOf(columns));
    assert.deepEqual(await duckCells(file, columns), cellsOf(columns));
  });
}

for (const compression of OUTPUT_FORMATS.parquet.compressions) {
  test(`names the compression ${compression} in the footer`, async () => {
    const file = await parquetOf(
      columnsOf(10, () => false),
      { compression },
    );
    const codecs = await duck.rows(file, 'SELECT DISTINCT compression FROM parquet_metadata($file)');
    assert.deepEqual(codecs, [[compression === 'none' ? 'UNCOMPRESSED' : compression.toUpperCase()]]);
  });
}

for (const rows of [1, 2, 7, 8, 9, 32, 33, 34, 128, 129, 130, 257]) {
  test(`reads back ${rows} rows, and row groups of that size`, async () => {
    for (const total of [rows, 2 * rows, 2 * rows + 1]) {
      const columns = columnsOf(total, (row) => row % 4 === 3);
      const file = await parquetOf(columns, { rows });
      assert.deepEqual(await readWithHyparquet(file, names(columns)), cellsOf(columns));
      const groups = await duck.rows(
        file,
        'SELECT num_rows, num_row_groups FROM parquet_file_metadata($file)',
      );
      assert.deepEqual(groups, [[total, Math.ceil(total / rows)]]);
    }
  });
}

test('writes a valid file with the schema if there are no rows', async () => {
  const columns = columnsOf(0, () => false);
  const file = await parquetOf(columns);
  assert.deepEqual(await readWithHyparquet(file, names(columns)), cellsOf(columns));
  const described = await duck.rows(file, 'DESCRIBE SELECT * FROM $file');
  assert.deepEqual(
    described.map(([name, type]) => `${name} ${type}`),
    [
      'exchange VARCHAR',
      'symbol VARCHAR',
      'timestamp TIMESTAMP WITH TIME ZONE',
      'local_timestamp TIMESTAMP WITH TIME ZONE',
      'funding_timestamp TIMESTAMP WITH TIME ZONE',
      'id VARCHAR',
      'uuid VARCHAR',
      'side VARCHAR',
      'is_snapshot BOOLEAN',
      'price DOUBLE',
      'amount DOUBLE',
      'asks[0].price DOUBLE',
    ],
  );
});

test('leading columns are required, the others optional', async () => {
  const file = await parquetOf(columnsOf(10, () => false));
  const schema = await duck.rows(
    file,
    "SELECT name FROM parquet_schema($file) WHERE repetition_type = 'REQUIRED' AND num_children IS NULL",
  );
  assert.deepEqual(schema.flat(), ['exchange', 'symbol', 'timestamp', 'local_timestamp']);
});

test('writes key-value metadata and the name of the writer', async () => {
  const file = await parquetOf(
    columnsOf(1, () => false),
    { keyValues: { 'source.md5': 'ä=1', empty: '' } },
  );
  const pairs = await duck.rows(file, 'SELECT decode(key), decode(value) FROM parquet_kv_metadata($file)');
  assert.deepEqual(pairs, [
    ['source.md5', 'ä=1'],
    ['empty', ''],
  ]);
  const [[writer] = []] = await duck.rows(file, 'SELECT created_by FROM parquet_file_metadata($file)');
  assert.match(String(writer), /^tickhaul version \d+\.\d+\.\d+/);
});

test('writes 400,000 rows in one row group with several pages per column', async () => {
  const rows = 400_000;
  const price = (row: number): Cell => (row % 1000 === 0 ? null : (row % 1009) / 8);
  const cells = (cell: (row: number) => Cell): Cell[] => Array.from({ length: rows }, (_, row) => cell(row));
  const file = await parquetOf([
    { name: 'local_timestamp', kind: 'time', cells: cells((row) => START + row * 3) },
    { name: 'id', kind: 'text', cells: cells((row) => `id-${row}`) },
    { name: 'price', kind: 'number', cells: cells(price) },
  ]);
  const [counts] = await duck.rows(
    file,
    `SELECT count(*), count(price), sum(price), count(DISTINCT id),
       count(*) FILTER (epoch_us(local_timestamp) = ${START} + 3 * substr(id, 4)::BIGINT) FROM $file`,
  );
  const sum = cells(price).reduce<number>((total, value) => total + Number(value ?? 0), 0);
  assert.deepEqual(counts, [rows, rows - 400, sum, rows, rows]);
});

async function duckCells(file: Uint8Array, columns: readonly TestColumn[]): Promise<unknown[][]> {
  const list = columns.map(({ name, kind }) => (kind === 'time' ? `epoch_us("${name}")` : `"${name}"`));
  const rows = await duck.rows(file, `SELECT ${list.join(', ')} FROM $file`);
  return columns.map((_, i) => rows.map((row) => row[i]));
}

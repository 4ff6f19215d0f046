import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { DATA_TYPES, dataTypeColumns } from '../../src/day-files/data-types.js';
import { type Inspection, inspectFile } from '../../src/describe/inspect-file.js';
import { type CsvCell, cellsOf, csvOf, run, writeDayFile } from '../convert/day-files.js';
import { tempDir } from '../helpers/temp.js';

const signal = new AbortController().signal;
const inspect = (path: string): Promise<Inspection> => inspectFile({ path, signal });

const HEADER = 'exchange,symbol,timestamp,local_timestamp,id,side,price,amount';
/** Nulls, a time out of order, texts whose order differs between UTF-8 and UTF-16, and extreme numbers. */
const TRADES = [
  HEADER,
  'deribit,X,1583020800000001,1583020800000100,b,buy,1.5,1',
  'deribit,X,1583020799999999,1583020800000300,,sell,-0.25,',
  'deribit,X,1583020800000002,1583020800000250,～,buy,1e300,2',
  'deribit,X,1583020800000003,1583020800009250,😀,sell,1.5,',
  'deribit,X,1583020800000004,1583020800009250,ab,buy,5e-324,3',
  'deribit,X,1583020800000005,1583020800009251,a,unknown,1.5,4',
  'deribit,X,1583020800000006,1583020800009252,c,buy,1.5,4',
  '',
].join('\n');

const TRADES_FACTS = {
  rows: 7,
  timeRange: { from: 1583020800000100, to: 1583020800009252 },
  largestGap: { microseconds: 9000, from: 1583020800000250 },
  outOfOrder: 1,
};
const TRADES_COLUMNS: readonly (readonly [string, number, unknown, unknown])[] = [
  ['exchange', 0, 'deribit', 'deribit'],
  ['symbol', 0, 'X', 'X'],
  ['timestamp', 0, 1583020799999999, 1583020800000006],
  ['local_timestamp', 0, 1583020800000100, 1583020800009252],
  ['id', 1, 'a', '😀'],
  ['side', 0, 'buy', 'unknown'],
  ['price', 0, -0.25, 1e300],
  ['amount', 2, 1, 4],
];

function assertRows(inspection: Inspection, csv: string, dataType: string): void {
  const cells = cellsOf(dataType, csv).map((row) => Object.values(row));
  assert.equal(inspection.rows, cells.length);
  const first = cells.slice(0, 5);
  assert.deepEqual(inspection.first, first);
  assert.deepEqual(inspection.last, cells.slice(Math.max(first.length, cells.length - 5)));
}

const pick = ({ rows, timeRange, largestGap, outOfOrder }: Inspection): object => ({
  rows,
  timeRange,
  largestGap,
  outOfOrder,
});
const columnsIn = ({ columns }: Inspection): unknown[] =>
  columns.map(({ name, nulls, min, max }) => [name, nulls, min, max]);

test('a CSV and its conversions have the same summary', async (t) => {
  const dir = await tempDir(t);
  const source = await writeDayFile(dir, 'trades', TRADES);
  const paths = [source];
  for (const chosen of [
    { format: 'parquet', compression: 'none', rowGroup: 3 },
    { format: 'parquet', compression: 'snappy', times: 'int', rowGroup: 2 },
    { format: 'parquet', compression: 'gzip' },
    { format: 'parquet', compression: 'zstd', rowGroup: 1 },
    { format: 'ndjson', compression: 'none' },
    { format: 'ndjson', compression: 'gzip' },
    { format: 'ndjson', compression: 'zstd' },
  ] as const) {
    const { format, ...options } = chosen;
    const out = join(dir, String(paths.length));
    const { files } = await run([source], { format, chosen: options, out });
    paths.push(files[0]?.path ?? '');
  }
  for (const path of paths) {
    const inspection = await inspect(path);
    assert.deepEqual(pick(inspection), TRADES_FACTS, path);
    assert.deepEqual(columnsIn(inspection), TRADES_COLUMNS, path);
    assertRows(inspection, TRADES, 'trades');
  }
});

test('parses ISO times in NDJSON', async (t) => {
  const dir = await tempDir(t);
  const source = await writeDayFile(dir, 'trades', TRADES);
  const { files } = await run([source], { format: 'ndjson', chosen: { times: 'iso' } });
  const inspection = await inspect(files[0]?.path ?? '');
  assert.deepEqual(pick(inspection), TRADES_FACTS);
  assert.equal(inspection.columns[3]?.min, '2020-03-01T00:00:00.000100Z');
});

test('shows types and edge rows of every data type', async (t) => {
  const dir = await tempDir(t);
  const types = { text: 'string', time: 'timestamp', boolean: 'boolean', number: 'double' };
  for (const dataType of DATA_TYPES) {
    const csv = csvOf(dataType, 40);
    const source = await writeDayFile(dir, dataType, csv);
    const { files } = await run([source], { chosen: { rowGroup: 16 } });
    for (const path of [source, files[0]?.path ?? '']) {
      const inspection = await inspect(path);
      assertRows(inspection, csv, dataType);
      assert.deepEqual(
        inspection.columns.map(({ name, type }) => [name, type]),
        dataTypeColumns(dataType)?.map(({ name, kind }) => [name, types[kind]]),
      );
      const rows = cellsOf(dataType, csv);
      for (const { name, nulls, min, max } of inspection.columns) {
        const cells = rows.map((row) => row[name] ?? null).filter((cell) => cell !== null);
        assert.equal(nulls, rows.length - cells.length, name);
        assert.deepEqual([min, max], [findExtreme(cells), findExtreme(cells, -1)], name);
      }
    }
  }
});

function findExtreme(cells: readonly NonNullable<CsvCell>[], sign = 1): CsvCell | undefined {
  return [...cells].sort((a, b) => (a < b ? -sign : a > b ? sign : 0))[0];
}

test('shows the provenance record of a Parquet file', async (t) => {
  const dir = await tempDir(t);
  const source = await writeDayFile(dir, 'trades', TRADES);
  const { files } = await run([source], { chosen: { rowGroup: 3 } });
  const { metadata, rowGroups, bytes } = await inspect(files[0]?.path ?? '');
  assert.equal(metadata?.['tickhaul.source'], 'deribit_trades_2024-03-01_BTC-PERPETUAL.csv.gz');
  assert.equal(metadata['tickhaul.rows'], '7');
  assert.deepEqual([rowGroups, bytes], [3, files[0]?.bytes]);
});

test('inspects files with no rows and with one', async (t) => {
  const dir = await tempDir(t);
  for (const [rows, csv] of [
    [0, ''],
    [0, `${HEADER}\n`],
    [1, TRADES.split('\n').slice(0, 2).join('\n')],
  ] as const) {
    const source = await writeDayFile(dir, 'trades', csv);
    const { files } = await run([source], { existing: 'overwrite' });
    const ndjson = await run([source], { format: 'ndjson', existing: 'overwrite' });
    for (const path of [source, files[0]?.path ?? '', ndjson.files[0]?.path ?? '']) {
      const { outOfOrder, timeRange, largestGap, first, last, ...inspection } = await inspect(path);
      assert.equal(inspection.rows, rows, path);
      assert.deepEqual([first.length, last.length, largestGap], [rows, 0, undefined]);
      assert.equal(outOfOrder, rows === 0 ? undefined : 0);
      assert.equal(timeRange?.from, rows === 0 ? undefined : 1583020800000100);
    }
  }
});

test('uses --type if the file does not state its type', async (t) => {
  const path = join(await tempDir(t), 'some.csv.gz');
  await writeFile(path, gzipSync(''));
  await assert.rejects(inspect(path), { code: 'usage', message: /set it with --type/ });
  assert.equal((await inspectFile({ path, dataType: 'trades', signal })).columns.length, 8);
});

const REFUSED: Readonly<
  Record<string, readonly [name: string, bytes: Buffer | string, code: string, message: RegExp]>
> = {
  'a cut gzip': [
    'a.csv.gz',
    gzipSync(TRADES).subarray(0, 60),
    'corrupt',
    /a\.csv\.gz: the gzip stream ends early/,
  ],
  'a bad cell': ['a.csv.gz', gzipSync(TRADES.replace('1e300', 'x')), 'corrupt', /line 4, column price: "x"/],
  'a line with invalid JSON': [
    'a.ndjson',
    '{"a":1}\n\n{"a":}\n',
    'corrupt',
    /a\.ndjson: line 3: not a JSON object: "\{\\"a\\":\}"/,
  ],
  'a line that is not an object': ['a.ndjson', '[1]\n', 'corrupt', /line 1: not a JSON object: "\[1\]"/],
  'a line without end': [
    'a.ndjson',
    Buffer.alloc(17 * 1024 * 1024, 0x20),
    'corrupt',
    /line 1 is longer than/,
  ],
  'a cut NDJSON gzip': ['a.ndjson.gz', gzipSync('{"a":1}\n').subarray(0, 15), 'corrupt', /ends early/],
  'invalid zstd': ['a.ndjson.zst', 'nonsense', 'corrupt', /not a complete zstd stream/],
  'empty zstd': ['a.ndjson.zst', '', 'corrupt', /not a complete zstd stream/],
  'invalid Parquet': ['a.parquet', 'PAR1 nothing more PAR1', 'corrupt', /not a complete Parquet file/],
  'another kind of file': ['a.txt', TRADES, 'usage', /unknown kind of file/],
};
for (const [what, [name, bytes, code, message]] of Object.entries(REFUSED)) {
  test(`refuses ${what}`, async (t) => {
    const path = join(await tempDir(t), name);
    await writeFile(path, bytes);
    await assert.rejects(inspect(path), { name: 'TickhaulError', code, message });
  });
}

test('refuses a folder and a missing file', async (t) => {
  const dir = await tempDir(t);
  await mkdir(join(dir, 'x.parquet'));
  await assert.rejects(inspect(join(dir, 'x.parquet')), { code: 'usage', message: /not a file/ });
  await assert.rejects(inspect(join(dir, 'y.parquet')), { code: 'usage', message: /no such file/ });
});

test('a Parquet file of tickhaul with damaged data is corrupt', async (t) => {
  const dir = await tempDir(t);
  const { files } = await run([await writeDayFile(dir, 'trades', csvOf('trades', 300))]);
  const path = files[0]?.path ?? '';
  const bytes = await readFile(path);
  bytes.fill(0xff, 4, 400);
  await writeFile(path, bytes);
  await assert.rejects(inspect(path), {
    code: 'corrupt',
    message: /its data cannot be read, .*; convert its source/,
  });
});

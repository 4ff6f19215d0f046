import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { TickhaulError } from '../../../src/base/errors.js';
import { type ParquetFooter, readParquetFooter } from '../../../src/format/parquet/parquet-footer.js';
import { localFiles } from '../../../src/store/folder/local-files.js';
import { tempDir } from '../../helpers/temp.js';
import { type Cell, parquetOf, type TestColumn } from './batches.js';
import { duckOfFile } from './readers.js';

const duck = duckOfFile();

const MAX_INTEGER = Number.MAX_SAFE_INTEGER;
const LONG = 'x'.repeat(65);

/** Columns of six rows with their bounds. */
const COLUMNS: readonly (TestColumn & { min: Cell | undefined; max: Cell | undefined })[] = [
  {
    name: 'timestamp',
    kind: 'time',
    cells: [5, -3, 7, MAX_INTEGER, 0, -MAX_INTEGER],
    min: -MAX_INTEGER,
    max: MAX_INTEGER,
  },
  { name: 'funding', kind: 'time', cells: [null, 9, 8, null, 9, 9], min: 8, max: 9 },
  { name: 'trades', kind: 'integer', cells: [7, 0, -2, null, 9, 9], min: -2, max: 9 },
  { name: 'price', kind: 'number', cells: [1.5, -2.25, null, 1e300, 5e-324, 0], min: -2.25, max: 1e300 },
  { name: 'plus', kind: 'number', cells: [0, 0, 1, 2, 0, 0], min: -0, max: 2 },
  { name: 'minus', kind: 'number', cells: [-0, -0, -1, -2, -0, -0], min: -2, max: 0 },
  {
    name: 'none',
    kind: 'number',
    cells: [null, null, null, null, null, null],
    min: undefined,
    max: undefined,
  },
  { name: 'yes', kind: 'boolean', cells: [true, true, null, true, true, true], min: true, max: true },
  { name: 'both', kind: 'boolean', cells: [true, false, true, true, true, true], min: false, max: true },
  // U+FF5E comes after U+1F600 in UTF-16, and before it in UTF-8.
  { name: 'text', kind: 'text', cells: ['b', '～', 'é', '😀', 'ab', 'a'], min: 'a', max: '😀' },
  {
    name: 'side',
    kind: 'text',
    cells: ['s', 'b', null, 'b', 's', 's'],
    min: 'b',
    max: 's',
  },
  { name: 'long', kind: 'text', cells: ['a', 'b', LONG, 'c', 'd', 'e'], min: undefined, max: undefined },
  { name: 'void', kind: 'text', cells: [null, null, null, null, null, null], min: undefined, max: undefined },
];

test('reads rows, types, nulls, bounds and key-value pairs back from the footer', async (t) => {
  const dir = await tempDir(t);
  const footer = await footerOf(dir, await parquetOf(COLUMNS, { rows: 2, keyValues: { a: 'ä', b: '' } }));
  assert.equal(footer.rows, 6);
  assert.deepEqual(footer.rowGroups, [2, 2, 2]);
  assert.deepEqual(footer.keyValues, { a: 'ä', b: '' });
  assert.match(footer.createdBy ?? '', /^tickhaul version /);
  const types = {
    time: 'timestamp',
    integer: 'int64',
    number: 'double',
    boolean: 'boolean',
    text: 'string',
  };
  const expected = COLUMNS.map(({ name, kind, cells, min, max }) => ({
    name,
    type: types[kind],
    required: name === 'timestamp',
    nulls: cells.filter((cell) => cell === null).length,
    min,
    max,
  }));
  assert.deepEqual(footer.columns, expected);
});

test('options change the types of columns', async (t) => {
  const dir = await tempDir(t);
  const file = await parquetOf(COLUMNS, { times: 'int', numbers: 'string' });
  const { columns } = await footerOf(dir, file);
  assert.deepEqual(
    columns.slice(0, 4).map(({ type }) => type),
    ['int64', 'int64', 'int64', 'string'],
  );
});

test('queries for the minimum and maximum of each column find all their rows', async () => {
  const file = await parquetOf(COLUMNS, { rows: 2 });
  for (const { name, kind, cells, min, max } of COLUMNS) {
    if (min === undefined || max === undefined) continue;
    const column = kind === 'time' ? `epoch_us("${name}")` : `"${name}"`;
    for (const bound of [min, max]) {
      const literal = kind === 'time' ? `make_timestamptz(${bound})` : sql(bound);
      const found = await duck.rows(file, `SELECT ${column} FROM $file WHERE "${name}" = ${literal}`);
      assert.deepEqual(
        found.flat().map(Number.isFinite),
        cells.filter((cell) => cell === bound).map(Number.isFinite),
        `${name} = ${bound}`,
      );
    }
    const [[within, nulls] = []] = await duck.rows(
      file,
      `SELECT count(*) FILTER ("${name}" IS NOT NULL), count(*) FILTER ("${name}" IS NULL) FROM $file`,
    );
    assert.equal(nulls, cells.filter((cell) => cell === null).length);
    assert.equal(within, 6 - Number(nulls));
  }
});

test('DuckDB reads the bounds of each row group', async () => {
  const file = await parquetOf(COLUMNS, { rows: 3 });
  const seen = await duck.rows(
    file,
    `SELECT stats_min_value, stats_max_value, stats_null_count FROM parquet_metadata($file)
     WHERE path_in_schema IN ('price', 'text', 'both', 'long', 'none') ORDER BY row_group_id, column_id`,
  );
  assert.deepEqual(seen, [
    ['-2.25', '1.5', 1],
    [null, null, 3],
    ['false', 'true', 0],
    ['b', '～', 0],
    [null, null, 0],
    ['-0.0', '1e+300', 0],
    [null, null, 3],
    ['true', 'true', 0],
    ['a', '😀', 0],
    ['c', 'e', 0],
  ]);
});

test('junk and truncated files are corrupt, with a message of one line', async (t) => {
  const dir = await tempDir(t);
  const file = await parquetOf(COLUMNS);
  const cut = (end: number): Uint8Array => file.subarray(0, end);
  const noise = Uint8Array.from(file);
  noise.fill(0x5a, file.length - 300, file.length - 8);
  for (const bytes of [
    new Uint8Array(0),
    cut(4),
    cut(11),
    cut(file.length - 1),
    noise,
    file.subarray(file.length - 100),
  ]) {
    await assert.rejects(footerOf(dir, bytes), {
      name: 'TickhaulError',
      code: 'corrupt',
      message: /^\S+footer\.parquet: not a complete Parquet file, [^\n]+$/,
    });
  }
});

test('any changed byte of a footer gives a result or a TickhaulError', async (t) => {
  const dir = await tempDir(t);
  const file = await parquetOf(COLUMNS);
  const length = Buffer.from(file).readUInt32LE(file.length - 8);
  for (let at = file.length - 8 - length; at < file.length - 4; at++) {
    const changed = Uint8Array.from(file);
    changed[at] = (changed[at] ?? 0) ^ 0x91;
    try {
      await footerOf(dir, changed);
    } catch (error) {
      assert.ok(error instanceof TickhaulError, `byte ${at}: ${error}`);
    }
  }
});

test('a missing file is a disk error', async (t) => {
  const path = join(await tempDir(t), 'nowhere.parquet');
  await assert.rejects(localFiles.openRandom(path), { name: 'TickhaulError', code: 'disk' });
});

async function footerOf(dir: string, bytes: Uint8Array): Promise<ParquetFooter> {
  const path = join(dir, 'footer.parquet');
  await writeFile(path, bytes);
  const file = await localFiles.openRandom(path);
  return readParquetFooter(file, path).finally(() => file.close());
}

function sql(value: Cell): string {
  return typeof value === 'string'
    ? `'${value}'`
    : typeof value === 'number'
      ? `${value}::DOUBLE`
      : String(value);
}

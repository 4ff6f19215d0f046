import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { MIN_BYTES_FOR_THREAD } from '../../src/convert/threads/kernel-pool.js';
import { DATA_TYPES, dataTypeColumns, LEADING_COLUMNS } from '../../src/day-files/data-types.js';
import type { Compression } from '../../src/format/compressor.js';
import { cellsOf, csvOf, run, writeDayFile } from '../convert/day-files.js';
import { NO_SAMPLES, SAMPLES, SAMPLES_DIR } from '../helpers/samples.js';
import { tempDir } from '../helpers/temp.js';
import { assertEqualsCsv } from './against-csv.js';
import { duckOfFile } from './parquet/readers.js';

const duck = duckOfFile();

const ROWS = 450;

/**
 * A day file with empty cells: in one row of three, in all rows, in runs, or in none, depending on the
 * column.
 */
function withEmptyCells(dataType: string, rows: number): string {
  const [header = '', ...lines] = csvOf(dataType, rows).trimEnd().split('\n');
  const isEmpty = [
    () => false,
    (row: number) => row % 3 === 1,
    () => true,
    (row: number) => row > 100 && row < 300,
    (row: number) => row === 0 || row === rows - 1,
  ];
  const holes = lines.map((line, row) =>
    line
      .split(',')
      .map((cell, i) => (i >= LEADING_COLUMNS.length && isEmpty[i % isEmpty.length]?.(row) ? '' : cell))
      .join(','),
  );
  return `${[header, ...holes].join('\n')}\n`;
}

const SOME_TYPES = ['trades', 'options_chain'];
for (const [compression, dataTypes] of [
  ['zstd', DATA_TYPES],
  ['snappy', SOME_TYPES],
  ['gzip', SOME_TYPES],
  ['none', SOME_TYPES],
] satisfies [Compression, readonly string[]][]) {
  test(`DuckDB reads ${dataTypes.length} data types in ${compression} as from the CSV`, async (t) => {
    const dir = await tempDir(t);
    for (const dataType of dataTypes) await writeDayFile(dir, dataType, withEmptyCells(dataType, ROWS));
    const { summary, files } = await run([dir], { chosen: { compression, rowGroup: 150 } });
    assert.deepEqual(summary.counts, { converted: dataTypes.length });
    for (const { source = '', path, file } of files) {
      await assertEqualsCsv(duck, source, path, dataTypeColumns(file?.dataType ?? '') ?? []);
    }
  });
}

test('converts a source that is large enough for threads, parsed in one and encoded in another', async (t) => {
  const dir = await tempDir(t);
  const [header = '', ...lines] = csvOf('incremental_book_L2', 100_000).split(/(?<=\n)/);
  const source = await writeDayFile(dir, 'incremental_book_L2', header);
  const times = 4;
  const block = gzipSync(lines.join(''), { level: 1 });
  assert.ok(times * block.length > MIN_BYTES_FOR_THREAD);
  await writeFile(source, Buffer.concat([gzipSync(header), ...Array<Buffer>(times).fill(block)]));
  const { files } = await run([source]);
  assert.deepEqual([files[0]?.status, files[0]?.rows], ['converted', 400_000]);

  const one = await writeDayFile(dir, 'incremental_book_L2', header + lines.join(''), 'ONE');
  const facts = (
    factor: number,
  ): string => `SELECT ${factor} * count(*), ${factor} * sum(epoch_us(timestamp)::HUGEINT),
    ${factor} * sum((price * 10)::BIGINT), ${factor} * sum((amount * 1000)::BIGINT), ${factor} * count(*) FILTER (is_snapshot),
    ${factor} * count(*) FILTER (side = 'bid'), min(epoch_us(local_timestamp)), max(epoch_us(local_timestamp)), min(price), max(amount)`;
  const expected = await duck.query(
    `${facts(times)} FROM (SELECT make_timestamptz(timestamp) AS timestamp, make_timestamptz(local_timestamp) AS local_timestamp,
      is_snapshot, side, price, amount FROM read_csv('${one}'))`,
  );
  assert.deepEqual(await duck.query(`${facts(1)} FROM read_parquet('${files[0]?.path}')`), expected);
});

test('converts real samples to Parquet and NDJSON with the same cells', {
  skip: NO_SAMPLES,
}, async (t) => {
  const dir = await tempDir(t);
  for (const name of SAMPLES) {
    await writeFile(join(dir, `${name}.gz`), gzipSync(readFileSync(join(SAMPLES_DIR, name))));
  }
  const parquet = await run([dir], { chosen: { rowGroup: 1000 } });
  const ndjson = await run([dir], { format: 'ndjson' });
  assert.deepEqual(parquet.summary.counts, { converted: SAMPLES.length });
  for (const { source = '', path, file } of parquet.files) {
    await assertEqualsCsv(duck, source, path, dataTypeColumns(file?.dataType ?? '') ?? []);
  }
  for (const { source = '', path, file } of ndjson.files) {
    const text = await readFile(path, 'utf8');
    const csv = await readFile(join(SAMPLES_DIR, basename(source, '.gz')), 'utf8');
    const rows = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(rows, cellsOf(file?.dataType ?? '', csv));
  }
});

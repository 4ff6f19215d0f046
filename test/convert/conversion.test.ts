import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { decompress } from 'fzstd';
import { parquetMetadata, parquetSchema } from 'hyparquet';
import { parseOutputSelection } from '../../src/convert/output-selection.js';
import { DATA_TYPES, dataTypeColumns } from '../../src/day-files/data-types.js';
import { tempDir } from '../helpers/temp.js';
import { cellsOf, csvOf, parquetRows, run, writeDayFile } from './day-files.js';

test('converts every data type to row groups with the same cells', async (t) => {
  const dir = await tempDir(t);
  for (const dataType of DATA_TYPES) await writeDayFile(dir, dataType, csvOf(dataType, 500));
  const { summary, events, files } = await run([dir], { chosen: { rowGroup: 200 } });
  assert.deepEqual([summary.exitCode, summary.counts], [0, { converted: DATA_TYPES.length }]);
  assert.deepEqual(events[0], { event: 'plan', files: DATA_TYPES.length });
  let bytes = 0;
  for (const { path, rows, file, bytes: size, source } of files) {
    assert.equal(rows, 500);
    assert.equal(path, source?.replace('.csv.gz', '.parquet'));
    const output = await readFile(path);
    assert.equal(output.length, size);
    bytes += output.length;
    const dataType = file?.dataType ?? '';
    assert.deepEqual(await parquetRows(output), cellsOf(dataType, csvOf(dataType, 500)), dataType);
    assert.equal(parquetMetadata(Uint8Array.from(output).buffer).row_groups.length, 3);
  }
  assert.equal(summary.bytes, bytes);
});

test('keeps the digits of the CSV in NDJSON with every compression', async (t) => {
  const dir = await tempDir(t);
  const header = 'exchange,symbol,timestamp,local_timestamp,id,side,price,amount\n';
  const cells = 'deribit,X,1583020800000001,1583020800000002,,buy,0.00004405208333333333,1e-7';
  const source = await writeDayFile(dir, 'trades', `${header}${cells}\n`.repeat(1));
  const line =
    '{"exchange":"deribit","symbol":"X","timestamp":1583020800000001,"local_timestamp":1583020800000002,"id":null,"side":"buy","price":0.00004405208333333333,"amount":1e-7}\n';
  const unpack = {
    none: (b: Buffer) => b,
    gzip: gunzipSync,
    zstd: (b: Buffer) => Buffer.from(decompress(b)),
  };
  const names = { none: 'ndjson', gzip: 'ndjson.gz', zstd: 'ndjson.zst' };
  for (const compression of ['none', 'gzip', 'zstd'] as const) {
    const { files } = await run([source], { format: 'ndjson', chosen: { compression } });
    assert.deepEqual(
      files.map(({ status, rows }) => [status, rows]),
      [['converted', 1]],
    );
    const output = source.replace('csv.gz', names[compression]);
    assert.equal(unpack[compression](await readFile(output)).toString(), line);
  }
});

test('applies options to the output: plain times, text numbers, ISO times', async (t) => {
  const dir = await tempDir(t);
  const csv = csvOf('trades', 3);
  const source = await writeDayFile(dir, 'trades', csv);
  await run([source], { chosen: { times: 'int', numbers: 'string', compression: 'snappy' } });
  const [row] = await parquetRows(await readFile(source.replace('csv.gz', 'parquet')));
  const [expected] = csv.split('\n').slice(1);
  assert.equal(typeof row?.['timestamp'], 'bigint');
  assert.equal(row?.['price'], expected?.split(',')[6]);
  await run([source], { format: 'ndjson', chosen: { times: 'iso' } });
  const line = (await readFile(source.replace('csv.gz', 'ndjson'), 'utf8')).split('\n')[0] ?? '';
  assert.match(line, /"local_timestamp":"2024-03-01T\d\d:\d\d:\d\d\.\d{6}Z"/);
});

const EMPTY = { 'an empty gzip file': '', 'only a header': `${csvOf('trades', 1).split('\n')[0]}\n` };
for (const [name, csv] of Object.entries(EMPTY)) {
  test(`converts an empty day (${name}) to an output without rows that has the type's schema`, async (t) => {
    const dir = await tempDir(t);
    const source = await writeDayFile(dir, 'trades', csv);
    const { files } = await run([source]);
    assert.deepEqual([files[0]?.status, files[0]?.rows], ['converted', 0]);
    const output = await readFile(source.replace('csv.gz', 'parquet'));
    const metadata = parquetMetadata(Uint8Array.from(output).buffer);
    assert.deepEqual(
      parquetSchema(metadata).children.map(({ element }) => element.name),
      dataTypeColumns('trades')?.map((column) => column.name),
    );
    assert.deepEqual(await parquetRows(output), []);
    const ndjson = await run([source], { format: 'ndjson', chosen: { compression: 'zstd' } });
    assert.equal(ndjson.summary.exitCode, 0);
    assert.equal(decompress(await readFile(source.replace('csv.gz', 'ndjson.zst'))).length, 0);
  });
}

test('finds the data type in the header; columns of an unknown type are text', async (t) => {
  const dir = await tempDir(t);
  const named = join(dir, 'some.csv.gz');
  await writeFile(named, gzipSync(csvOf('book_snapshot_25', 4)));
  const other = await writeDayFile(
    dir,
    'open_interest',
    'exchange,symbol,timestamp,local_timestamp,oi\nx,y,1583020800000001,1583020800000002,1.50\n',
  );
  const { summary, events } = await run([named, other]);
  assert.equal(summary.exitCode, 0);
  assert.equal(
    (await parquetRows(await readFile(join(dir, 'some.parquet'))))[0]?.['asks[24].price'] === undefined,
    false,
  );
  assert.equal((await parquetRows(await readFile(other.replace('csv.gz', 'parquet'))))[0]?.['oi'], '1.50');
  const warnings = events.filter((event) => event.event === 'warning');
  assert.match(warnings[0]?.message ?? '', /unknown columns of open_interest: oi; keeping them as text/);
  assert.equal(warnings.length, 1);
});

test('ignores unknown columns in computed types', async (t) => {
  const trades = csvOf('trades', 4).replaceAll('\n', ',x\n').replace(',x', ',extra');
  const source = await writeDayFile(await tempDir(t), 'trades', trades);
  const { summary, events } = await run([source], {
    outputSelection: parseOutputSelection(['trade_bar_1m']),
  });
  assert.equal(summary.exitCode, 0);
  const warnings = events.flatMap((event) => (event.event === 'warning' ? [event.message] : []));
  assert.deepEqual(warnings, [`${source}: unknown columns of trades: extra; ignoring them`]);
});

test('refuses an empty file of an unknown type, but accepts it with --type', async (t) => {
  const dir = await tempDir(t);
  const source = join(dir, 'some.csv.gz');
  await writeFile(source, gzipSync(''));
  const refused = await run([source]);
  assert.equal(refused.summary.exitCode, 2);
  assert.match(refused.files[0]?.error?.message ?? '', /set it with --type/);
  assert.equal((await run([source], { selection: { dataTypes: ['trades'] } })).files[0]?.status, 'converted');
});

import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { decompress } from 'fzstd';
import { computedColumns } from '../../src/convert/computed/computed-rows.js';
import { parseOutputSelection } from '../../src/convert/output-selection.js';
import { DATA_TYPES, type DayFileColumn, dataTypeColumns } from '../../src/day-files/data-types.js';
import { inspectFile } from '../../src/describe/inspect-file.js';
import { parseComputedTypeName } from '../../src/market/message-type-name.js';
import { assertEqualsCsv } from '../format/against-csv.js';
import { duckOfFile } from '../format/parquet/readers.js';
import { failedWith, jsonLines, succeeded } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { namesIn, tempDir } from '../helpers/temp.js';
import { csvOf, run, writeDayFile } from './day-files.js';

const duck = duckOfFile();

test('every data type becomes the text of its source, plain, in gzip and in zstd', async (t) => {
  const dir = await tempDir(t);
  const out = await tempDir(t);
  for (const dataType of DATA_TYPES) await writeDayFile(dir, dataType, csvOf(dataType, 300));
  const { summary } = await run([dir], { format: 'csv' });
  assert.deepEqual([summary.exitCode, summary.counts], [0, { converted: DATA_TYPES.length }]);
  await run([dir], { format: 'csv', chosen: { compression: 'zstd' } });
  await run([dir], { format: 'csv', chosen: { compression: 'gzip' }, out });
  await run([dir]);
  for (const dataType of DATA_TYPES) {
    const text = csvOf(dataType, 300);
    const stem = `deribit_${dataType}_2024-03-01_BTC-PERPETUAL`;
    const [plain, zstd, gzip] = [
      join(dir, `${stem}.csv`),
      join(dir, `${stem}.csv.zst`),
      join(out, `${stem}.csv.gz`),
    ];
    assert.equal(await readFile(plain, 'utf8'), text);
    assert.equal(Buffer.from(decompress(await readFile(zstd))).toString(), text);
    assert.equal(gunzipSync(await readFile(gzip)).toString(), text);
    for (const path of [plain, zstd, gzip]) {
      const { dataType: found, rows } = await inspectFile({ path, signal: t.signal });
      assert.deepEqual([found, rows], [dataType, 300]);
    }
    await assertEqualsCsv(duck, plain, join(dir, `${stem}.parquet`), dataTypeColumns(dataType) ?? []);
  }
});

test('computed types are as in Parquet, by DuckDB', async (t) => {
  const dir = await tempDir(t);
  await writeDayFile(dir, 'trades', csvOf('trades', 2000));
  await writeDayFile(dir, 'incremental_book_L2', csvOf('incremental_book_L2', 2000));
  const names = ['trade_bar_1m', 'trade_bar_10ticks', 'quote', 'book_snapshot_3_1s'];
  const outputSelection = parseOutputSelection(names);
  await run([dir], { outputSelection });
  await run([dir], { outputSelection, format: 'csv', chosen: { numbers: 'string' } });
  for (const name of names) {
    const stem = join(dir, `deribit_${name}_2024-03-01_BTC-PERPETUAL`);
    const columns = computedColumns(parseComputedTypeName(name));
    const typed = columns.filter((column): column is DayFileColumn => column.kind !== 'integer');
    await assertEqualsCsv(duck, `${stem}.csv`, `${stem}.parquet`, typed);
    const [header = ''] = (await readFile(`${stem}.csv`, 'utf8')).split('\n');
    assert.equal(header, columns.map((column) => column.name).join());
  }
});

test('-o - writes one header, then the rows of all files; a file with other columns fails alone', async (t) => {
  const dir = await tempDir(t);
  const text = csvOf('trades', 50);
  const [header = '', ...rows] = text.split(/(?<=\n)/);
  for (const symbol of ['A', 'B']) await writeDayFile(dir, 'trades', text, symbol);
  const { stdout } = await succeeded(runHere(['convert', dir, '-f', 'csv', '-o', '-']));
  assert.equal(stdout, header + rows.join('') + rows.join(''));
  await writeDayFile(dir, 'quotes', csvOf('quotes', 5));
  const mixed = await runHere(['convert', dir, '-f', 'csv', '-o', '-']);
  assert.deepEqual(
    [mixed.exitCode, mixed.stdout.split('\n', 1)[0]],
    [2, csvOf('quotes', 5).split('\n', 1)[0]],
  );
  assert.match(mixed.stderr, /other columns than the first one, and a CSV has one header/);
});

test('one file of all days and symbols is the text of all, skipped if unchanged, and never a day file', async (t) => {
  const dir = await tempDir(t);
  const out = await tempDir(t);
  const text = csvOf('trades', 500);
  const [header = '', ...rows] = text.split(/(?<=\n)/);
  for (const symbol of ['A', 'B']) await writeDayFile(dir, 'trades', text, symbol);
  for (const name of ['all.csv', 'all.csv.gz', 'all.csv.zst']) {
    const path = join(out, name);
    for (const status of ['converted', 'skipped']) {
      const result = await runHere(['convert', dir, '-o', path, '--json']);
      assert.deepEqual([result.exitCode, jsonLines(result).at(-1)?.[status]], [0, 1], result.stderr);
    }
    const bytes = await readFile(path);
    const inflated = name.endsWith('gz')
      ? gunzipSync(bytes)
      : name.endsWith('zst')
        ? decompress(bytes)
        : bytes;
    assert.equal(Buffer.from(inflated).toString(), header + rows.join('') + rows.join(''));
  }
  const { exitCode, stderr } = await runHere(['convert', dir, '-o', join(dir, 'all.csv.gz')]);
  assert.equal(exitCode, 2, stderr);
  assert.match(stderr, /it holds day files, whose names a CSV with --compression gzip has/);
  await writeFile(join(out, 'mine.csv.gz'), 'not a conversion');
  const refused = await runHere(['convert', dir, '-o', join(out, 'mine.csv.gz')]);
  assert.equal(refused.exitCode, 2, refused.stderr);
  assert.match(refused.stderr, /mine\.csv\.gz: it exists, and may be a day file/);
  assert.equal(await readFile(join(out, 'mine.csv.gz'), 'utf8'), 'not a conversion');
});

test('skips what is up to date, and is verified, with rows that span lines', async (t) => {
  const dir = await tempDir(t);
  const quoted = csvOf('trades', 20).replaceAll(',buy,', ',"bu\ny",');
  const source = await writeDayFile(dir, 'trades', quoted);
  const statuses = async (): Promise<unknown> =>
    (await run([dir], { format: 'csv' })).files.map(({ status, rows }) => [status, rows]);
  assert.deepEqual(await statuses(), [['converted', 20]]);
  assert.deepEqual(await statuses(), [['skipped', 20]]);
  assert.equal(await readFile(source.replace('.gz', ''), 'utf8'), quoted);
  const verified = await succeeded(runHere(['verify', '--dir', dir, '--adopt', '--json']));
  assert.equal(jsonLines(verified).at(-1)?.['verified'], 2);
  // The day file and the copy next to it are one day file.
  for (const words of [
    ['audit', dir, '--offline'],
    ['coverage', dir],
    ['convert', dir],
  ]) {
    await succeeded(runHere([...words, '--json']));
  }
  const coverage = JSON.parse((await runHere(['coverage', dir, '--json'])).stdout);
  assert.equal(coverage.totals.present, 1);
  await writeFile(source.replace('.gz', ''), quoted.slice(0, -200));
  const damaged = await runHere(['verify', '--dir', dir]);
  assert.equal(damaged.exitCode, 6);
  assert.match(damaged.stderr + damaged.stdout, /\.csv: has \d+ rows, 20 were written/);
});

test('never writes a gzip CSV where day files are searched, nor over one', async (t) => {
  const dir = await tempDir(t);
  const apart = await tempDir(t);
  const source = await writeDayFile(dir, 'trades', csvOf('trades', 10));
  const before = await readFile(source);
  const convert = (...words: readonly string[]) =>
    runHere(['convert', ...words, '-f', 'csv', '--compression', 'gzip']);
  for (const words of [
    [dir],
    [source],
    [dir, '-o', dir],
    [dir, '-o', join(dir, 'csv')],
    [source, '-o', dir],
  ]) {
    const { stderr } = await failedWith(
      convert(...words),
      2,
      /name.* of a? ?day file|names a CSV with --compression gzip has/,
      words.join(' '),
    );
    assert.match(stderr, /choose a folder outside of it with -o, or write \.csv or \.csv\.zst/);
  }
  await mkdir(join(apart, 'old'));
  const old = await writeDayFile(join(apart, 'old'), 'trades', csvOf('trades', 3));
  const { exitCode, stderr } = await convert(dir, '-o', join(apart, 'old'), '--existing', 'overwrite');
  assert.equal(exitCode, 2, stderr);
  assert.match(stderr, /it exists, and may be a day file; choose another folder with -o, or delete it/);
  assert.equal(gunzipSync(await readFile(old)).toString(), csvOf('trades', 3));

  const out = join(apart, 'new');
  for (const status of ['converted', 'skipped']) {
    const made = await convert(dir, '-o', out, '--as', 'rows,trade_bar_1m', '--json');
    assert.deepEqual([made.exitCode, jsonLines(made).at(-1)?.[status]], [0, 2], made.stderr);
  }
  assert.deepEqual(await namesIn(dir), [source.slice(dir.length + 1)]);
  assert.ok((await readFile(source)).equals(before));
  const again = await succeeded(runHere(['convert', out, '-o', join(apart, 'parquet')]));
  assert.match(
    again.stderr,
    /passing over 1 file, by name computed and not day files, such as .*trade_bar_1m/,
  );
  assert.deepEqual(
    (await namesIn(join(apart, 'parquet'))).filter((name) => name.endsWith('.parquet')),
    ['deribit_trades_2024-03-01_BTC-PERPETUAL.parquet'],
  );
});

test('refuses options that CSV has not', async (t) => {
  const dir = await tempDir(t);
  await writeDayFile(dir, 'trades', csvOf('trades', 3));
  for (const [words, message] of [
    [['--times', 'iso'], /--times iso: requires NDJSON; use int for CSV/],
    [['--compression', 'lz4'], /--compression lz4: requires Arrow; use zstd or gzip for CSV/],
    [['--row-group', '1k'], /--row-group: requires Parquet or Arrow; CSV has no row groups/],
  ] as const) {
    await failedWith(runHere(['convert', dir, '-f', 'csv', ...words]), 2, message);
  }
});

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type Day, formatDay } from '../../../src/day-files/day.js';
import { convert } from '../../../src/index.js';
import { csvOf, DAY, writeDayFile } from '../../convert/day-files.js';
import { failedWith, jsonLines, succeeded } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { nightlyTest } from '../../helpers/services.js';
import { namesIn, tempDir } from '../../helpers/temp.js';
import { convertForPeak } from './converting.js';

const ROWS = 20;

async function createFolder(t: Parameters<typeof tempDir>[0]) {
  const dir = await tempDir(t);
  const folder = join(dir, 'datasets');
  await mkdir(folder);
  const csv = csvOf('trades', ROWS);
  const sources = [
    await writeDayFile(folder, 'trades', csv, 'BTC-PERPETUAL'),
    await writeDayFile(folder, 'trades', csv, 'ETH-PERPETUAL'),
  ];
  return { dir, folder, sources };
}

test('a name with the extension of a format is one file, of that format and compression', async (t) => {
  const { dir, folder, sources } = await createFolder(t);
  const plain = join(dir, 'all.ndjson');
  const finished = await succeeded(runHere(['convert', folder, '-o', plain, '--json']));
  const [plan, file, summary] = jsonLines(finished);
  assert.deepEqual([plan?.['event'], plan?.['files']], ['plan', 1]);
  const { bytes, seconds, ...rest } = (file ?? {}) as Record<string, unknown>;
  assert.deepEqual(rest, { event: 'file', status: 'converted', path: plain, sources, rows: 2 * ROWS });
  assert.ok(Number(bytes) > 0 && Number(seconds) >= 0);
  assert.deepEqual([summary?.['exitCode'], summary?.['converted']], [0, 1]);

  const zipped = join(dir, 'all.ndjson.gz');
  await succeeded(runHere(['convert', folder, '-o', zipped]));
  assert.deepEqual(gunzipSync(await readFile(zipped)), await readFile(plain));
  const frames = join(dir, 'all.ndjson.zst');
  await succeeded(runHere(['convert', folder, '-o', frames, '--compression', 'zstd']));

  const bars = join(dir, 'bars.arrow');
  const { exitCode: code } = await convert({ paths: [folder], as: ['trade_bar_60m'], out: bars });
  assert.equal(code, 0);
  assert.equal(String((await readFile(bars)).subarray(0, 6)), 'ARROW1');

  const slash = join(dir, 'folder.parquet/');
  await succeeded(runHere(['convert', folder, '-o', slash]));
  assert.equal((await namesIn(slash)).length, 2, 'a slash makes it a folder');
});

test('the selection chooses among several data types', async (t) => {
  const { dir, folder, sources } = await createFolder(t);
  const quotes = await writeDayFile(folder, 'quotes', csvOf('quotes', ROWS));
  const words = ['convert', folder, '-o', join(dir, 'all.parquet'), '--json'];
  await failedWith(runHere(words), 2, /of 2 data types \(quotes, trades\), .* choose it with --type/);
  const sourcesOf = async (...selection: readonly string[]): Promise<unknown> =>
    jsonLines(await runHere([...words, ...selection]))[1]?.['sources'];
  assert.deepEqual(await sourcesOf('-t', 'quotes'), [quotes]);
  assert.deepEqual(await sourcesOf('-t', 'trades'), sources);
  assert.deepEqual(await sourcesOf('-t', 'trades', '-s', 'ETH*'), sources.slice(1));
});

test('flags that contradict the name of the file are refused', async (t) => {
  const { dir, folder } = await createFolder(t);
  await mkdir(join(dir, 'taken.parquet'));
  const cases: readonly (readonly [words: readonly string[], message: RegExp])[] = [
    [['-o', 'x.parquet', '-f', 'arrow'], /names a file of parquet, but --format is arrow/],
    [['-o', 'x.ndjson.gz', '--compression', 'zstd'], /with --compression zstd ends in \.ndjson\.zst/],
    [['-o', 'x.ndjson', '--compression', 'gzip'], /with --compression gzip ends in \.ndjson\.gz/],
    [['-o', 'x.parquet', '--compression', 'lz4'], /--compression lz4: requires Arrow/],
    [['-o', 'x.parquet', '--layout', 'hive'], /--layout has no effect with -o .*x.parquet/],
    [['-o', 'x.parquet', '--as', 'rows,trade_bar_1m'], /takes only one name of --as/],
    [['-o', 'taken.parquet'], /taken.parquet" is a folder/],
  ];
  for (const [[flag = '', name = '', ...words], message] of cases) {
    await failedWith(runHere(['convert', folder, flag, join(dir, name), ...words]), 2, message);
  }
  assert.deepEqual(await namesIn(dir), ['datasets', 'taken.parquet']);
});

test('one file replaces the end of a link, and is described by inspect, verify and views', async (t) => {
  const { dir, folder } = await createFolder(t);
  await symlink(join(dir, 'real.parquet'), join(folder, 'all.parquet'));
  const words = ['convert', folder, '-o', join(folder, 'all.parquet')];
  await succeeded(runHere(words));
  assert.ok((await namesIn(dir)).includes('real.parquet'));
  const inspected = await runHere(['inspect', join(folder, 'all.parquet')]);
  assert.match(inspected.stdout, /made from +2 day files, deribit_trades_.*BTC-PERPETUAL.csv.gz to .*ETH-/);

  const notes = join(folder, 'all.ndjson');
  await succeeded(runHere(['convert', folder, '-o', notes]));
  const verify = async (): Promise<unknown> => {
    const lines = jsonLines(await runHere(['verify', folder, '--json']));
    const line = lines.find(({ path }) => path === 'all.ndjson');
    return [line?.['status'], line?.['rows'], (line?.['error'] as { message?: string } | undefined)?.message];
  };
  assert.deepEqual(await verify(), ['verified', 2 * ROWS, undefined]);
  const text = String(await readFile(notes));
  await writeFile(notes, text.slice(text.indexOf('\n') + 1));
  assert.deepEqual(await verify(), [
    'corrupt',
    undefined,
    `all.ndjson: has ${2 * ROWS - 1} rows, ${2 * ROWS} were written`,
  ]);

  const views = await succeeded(runHere(['views', folder]));
  assert.match(views.stderr, /1 Parquet file of unknown data type, of several day files, .* left out/);
  assert.doesNotMatch(views.stdout, /all\.parquet/);
});

nightlyTest('memory does not grow from 40 to 400 days', async (t) => {
  if (!existsSync('/proc/self/status')) {
    t.skip('no way to see the peak of a process here');
    return;
  }
  const dir = await tempDir(t);
  const csv = gzipSync(csvOf('trades', 20_000));
  for (const days of [40, 400]) {
    await mkdir(join(dir, String(days)));
    for (let i = 0; i < days; i++) {
      const name = `deribit_trades_${formatDay((DAY + i) as Day)}_BTC-PERPETUAL.csv.gz`;
      await writeFile(join(dir, String(days), name), csv);
    }
  }
  for (const words of [[], ['--as', 'trade_bar_1s'], ['-j', '1']]) {
    const peakOf = async (days: number): Promise<number> => {
      const target = join(dir, `${days}.parquet`);
      const paths = [join(dir, String(days)), '-o', target, '--existing', 'overwrite'];
      return (await convertForPeak([...paths, ...words])).peak;
    };
    const [few, many] = [await peakOf(40), await peakOf(400)];
    assert.ok(few > 50_000 && many < 1.25 * few, `${words.join(' ')}: ${few} kB, then ${many} kB`);
  }
});

import assert from 'node:assert/strict';
import { mkdir, readFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { parseOutputSelection } from '../../../src/convert/output-selection.js';
import type { ConvertSetting } from '../../../src/download/download-options.js';
import { expectedRows, plain } from '../../convert/computed/rows.js';
import { cellsOf, run as convert, parquetRows } from '../../convert/day-files.js';
import { namesIn } from '../../helpers/temp.js';
import { NAME, type RunInput, run, setUp } from '../runs.js';
import { converting, recordOf, requested, setting } from './converting.js';

const as = (...names: string[]): ConvertSetting => ({
  ...setting(),
  outputSelection: parseOutputSelection(names),
});
const making = (...names: string[]): RunInput => converting(as(...names));
const only = (...names: string[]): RunInput => converting({ ...as(...names), keepCsv: false });

/** Conversions of the day file of trades, by name. */
const outputOf = (name: string): string =>
  name === 'rows'
    ? NAME.replace('csv.gz', 'parquet')
    : NAME.replace('_trades_', `_${name}_`).replace('csv.gz', 'parquet');

const BARS = ['trade_bar_1m', 'trade_bar_10ticks'];

test('each output is stored, reported and recorded separately, with the values of the trades', async (t) => {
  const { service, dir } = await setUp(t);
  const { summary, files } = await run(service, dir, making('rows', ...BARS));
  assert.deepEqual(
    [summary.exitCode, summary.counts, summary.unfinished],
    [0, { downloaded: 1, converted: 3 }, 0],
  );
  const [day, ...made] = files;
  const paths = ['rows', ...BARS].map(outputOf);
  assert.deepEqual([day?.path, day?.output, day?.outputs], [NAME, undefined, paths]);
  assert.deepEqual(
    made.map(({ path, source }) => [path, source]),
    paths.map((path) => [path, NAME]),
  );
  const csv = gunzipSync(await readFile(join(dir, NAME))).toString();
  for (const name of BARS) {
    const rows = plain(await parquetRows(await readFile(join(dir, outputOf(name)))));
    assert.deepEqual(rows, expectedRows(name, csv), name);
    assert.equal(made.find(({ path }) => path === outputOf(name))?.rows, rows.length);
  }
  assert.deepEqual(await parquetRows(await readFile(join(dir, outputOf('rows')))), cellsOf('trades', csv));
  const entries = (await recordOf(dir))?.conversions ?? [];
  assert.deepEqual(
    entries.map(({ path, computed }) => [path, computed]),
    ['rows', ...BARS].map((name) => [outputOf(name), name === 'rows' ? undefined : name]),
  );
  const again = await run(service, dir, making('rows', ...BARS));
  assert.deepEqual(again.summary.counts, { skipped: 1 });
});

test('outputs equal those of convert --as byte for byte, and convert skips them', async (t) => {
  const { service, dir } = await setUp(t);
  await run(service, dir, making(...BARS));
  const arrived = await Promise.all(BARS.map((name) => readFile(join(dir, outputOf(name)))));
  const wanted = parseOutputSelection(BARS);
  assert.deepEqual((await convert([dir], { outputSelection: wanted })).summary.counts, { skipped: 2 });
  await convert([dir], { outputSelection: wanted, existing: 'overwrite' });
  for (const [i, name] of BARS.entries()) {
    assert.deepEqual(await readFile(join(dir, outputOf(name))), arrived[i], name);
  }
});

test('writes missing outputs from the CSV on disk; other options write all outputs again', async (t) => {
  const { service, dir } = await setUp(t);
  await run(service, dir, making(BARS[0] as string));
  const asked = await requested(service, async () => {
    const more = await run(service, dir, making(...BARS));
    assert.deepEqual(more.summary.counts, { verified: 1, converted: 1 });
    await rm(join(dir, outputOf('trade_bar_1m')));
    const gone = await run(service, dir, making(...BARS));
    assert.deepEqual(gone.summary.counts, { verified: 1, converted: 1 });
    assert.equal(gone.files[1]?.path, outputOf('trade_bar_1m'));
    const wanted = parseOutputSelection(BARS);
    const other = converting({ ...setting('parquet', { compression: 'gzip' }), outputSelection: wanted });
    assert.deepEqual((await run(service, dir, other)).summary.counts, { verified: 1, converted: 2 });
    assert.deepEqual((await run(service, dir, other)).summary.counts, { skipped: 1 });
  });
  assert.equal(asked, 0);
  assert.equal((await recordOf(dir))?.conversions?.length, 2);
});

test('deletes the CSV after all outputs are complete, and downloads it again if one is missing', async (t) => {
  const { service, dir } = await setUp(t);
  await run(service, dir, making(BARS[0] as string));
  const asked = await requested(service, async () => {
    assert.deepEqual((await run(service, dir, only(...BARS))).summary.counts, { verified: 1, converted: 1 });
    assert.deepEqual((await run(service, dir, only(...BARS))).summary.counts, { skipped: 1 });
  });
  assert.equal(asked, 0);
  const outputs = BARS.map(outputOf).sort();
  assert.deepEqual(await namesIn(dir), outputs);
  assert.equal((await recordOf(dir))?.dropped, true);
  await truncate(join(dir, outputOf('trade_bar_1m')), 10);
  assert.deepEqual((await run(service, dir, only(...BARS))).summary.counts, { downloaded: 1, converted: 2 });
  assert.deepEqual(await namesIn(dir), outputs);
  const verified = await run(
    service,
    dir,
    converting({ ...as(...BARS), keepCsv: false }, { existing: 'verify' }),
  );
  assert.deepEqual(verified.summary.counts, { verified: 1 });
});

test('warns of files of other types, and never deletes them', async (t) => {
  const { service, dir } = await setUp(t);
  const selection = { types: ['trades', 'quotes'] };
  const quotes = NAME.replace('trades', 'quotes');
  const { summary, events, files } = await run(service, dir, {
    ...only('trade_bar_1m', 'quote_1s'),
    selection,
  });
  assert.deepEqual(summary.counts, { downloaded: 2, converted: 1 });
  assert.equal(files.find(({ path }) => path === quotes)?.outputs, undefined);
  const said = events.flatMap((event) => (event.event === 'warning' ? [event.message] : []));
  assert.match(said[0] ?? '', /^skipping files of quotes: trade_bar_1m is computed from trades/);
  assert.match(said[1] ?? '', /^quote_1s: is computed from incremental_book_L2/);
  assert.deepEqual(await namesIn(dir), [quotes, outputOf('trade_bar_1m')].sort());
  const again = await run(service, dir, { ...only('trade_bar_1m', 'quote_1s'), selection });
  assert.deepEqual(again.summary.counts, { skipped: 2 });
});

test('hive and templates use the computed name in place of the data type', async (t) => {
  const { service, dir } = await setUp(t);
  for (const [layout, path] of [
    [
      'hive',
      `exchange=binance-futures/data_type=trade_bar_1m/dataset_symbol=BTCUSDT/date=2024-03-01/${outputOf('trade_bar_1m')}`,
    ],
    ['{exchange}/{type}/{symbol}/{date}', 'binance-futures/trade_bar_1m/BTCUSDT/2024-03-01.parquet'],
  ] as const) {
    const { files } = await run(service, dir, { ...making('trade_bar_1m'), selection: { layout } });
    assert.equal(files.find(({ status }) => status === 'converted')?.path, path);
    const again = await run(service, dir, { ...making('trade_bar_1m'), selection: { layout } });
    assert.deepEqual(again.summary.counts, { skipped: 1 });
  }
});

test('a folder in place of one output keeps the CSV and the other outputs, with their records', async (t) => {
  const { service, dir } = await setUp(t);
  await run(service, dir, making('trade_bar_1m'));
  await rm(join(dir, NAME));
  await rm(join(dir, outputOf('trade_bar_1m')));
  await mkdir(join(dir, outputOf('trade_bar_1m')));
  const { summary, files } = await run(service, dir, only('rows', 'trade_bar_1m'));
  assert.deepEqual([summary.exitCode, summary.counts], [8, { failed: 1 }]);
  assert.deepEqual(files[0]?.outputs, ['rows', 'trade_bar_1m'].map(outputOf));
  await rm(join(dir, outputOf('trade_bar_1m')), { recursive: true });
  const asked = await requested(service, async () => {
    const healed = await run(service, dir, only('rows', 'trade_bar_1m'));
    assert.deepEqual([healed.summary.exitCode, healed.summary.counts.verified], [0, 1]);
  });
  assert.equal(asked, 0, 'the CSV was kept');
  assert.deepEqual(await namesIn(dir), ['rows', 'trade_bar_1m'].map(outputOf).sort());
});

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parseOutputSelection } from '../../../src/convert/output-selection.js';
import { namesIn, tempDir } from '../../helpers/temp.js';
import { cellsOf, csvOf, parquetRows, run, writeDayFile } from '../day-files.js';
import { expectedRows, plain, tradesOf } from './rows.js';

for (const format of ['parquet', 'ndjson'] as const) {
  test(`${format}: skips each computed type that is up to date`, async (t) => {
    const dir = await tempDir(t);
    const source = await writeDayFile(dir, 'trades', csvOf('trades', 500));
    const statuses = async (...names: string[]): Promise<unknown[]> =>
      (await run([source], { format, outputSelection: parseOutputSelection(names) })).files.map(
        ({ path, status, rows }) => [
          basename(path).split('_2024')[0],
          status,
          rows !== undefined && rows > 0,
        ],
      );
    assert.deepEqual(await statuses('trade_bar_1m'), [['deribit_trade_bar_1m', 'converted', true]]);
    assert.deepEqual(await statuses('trade_bar_1m', 'trade_bar_5m'), [
      ['deribit_trade_bar_1m', 'skipped', true],
      ['deribit_trade_bar_5m', 'converted', true],
    ]);
    await writeDayFile(dir, 'trades', csvOf('trades', 501));
    assert.deepEqual(await statuses('trade_bar_1m'), [['deribit_trade_bar_1m', 'converted', true]]);
  });
}

test('"rows" adds the plain conversion; a source that is not kept is removed last', async (t) => {
  const dir = await tempDir(t);
  const csv = csvOf('trades', 300);
  const source = await writeDayFile(dir, 'trades', csv);
  const { summary } = await run([source], {
    outputSelection: parseOutputSelection(['rows', 'trade_bar_1m', 'trade_bar_1m']),
    keepSource: false,
  });
  assert.deepEqual(summary.counts, { converted: 2 });
  assert.deepEqual(await namesIn(dir), [
    'deribit_trade_bar_1m_2024-03-01_BTC-PERPETUAL.parquet',
    'deribit_trades_2024-03-01_BTC-PERPETUAL.parquet',
  ]);
  const rows = await parquetRows(await readFile(source.replace('csv.gz', 'parquet')));
  assert.deepEqual(rows, cellsOf('trades', csv));
});

test('skips files of other types with a warning, and keeps them', async (t) => {
  const dir = await tempDir(t);
  const quotes = await writeDayFile(dir, 'quotes', csvOf('quotes', 10));
  const trades = await writeDayFile(dir, 'trades', csvOf('trades', 10));
  const { summary, events } = await run([dir], {
    outputSelection: parseOutputSelection(['trade_bar_1m']),
    keepSource: false,
  });
  assert.deepEqual([summary.exitCode, summary.counts], [0, { converted: 1 }]);
  assert.deepEqual(
    events.flatMap((event) => (event.event === 'warning' ? event.message : [])),
    [`skipping ${quotes}: trade_bar_1m is computed from trades, not from quotes`],
  );
  assert.deepEqual([existsSync(quotes), existsSync(trades)], [true, false]);
});

test('without a day file name, takes the type from the header and the day from the rows', async (t) => {
  const dir = await tempDir(t);
  const csv = tradesOf([
    [5_000_000, 5_000_001, 'A', 'buy', '1', '1'],
    [86_400_000_000 + 7, 86_399_000_000, 'A', 'buy', '2', '3'],
  ]);
  await writeFile(join(dir, 'mine.csv.gz'), gzipSync(csv));
  await writeFile(join(dir, 'other.csv.gz'), gzipSync(csvOf('quotes', 3)));
  const { summary, events } = await run([dir], {
    outputSelection: parseOutputSelection(['trade_bar_1m', 'quote']),
  });
  assert.deepEqual(summary.counts, { converted: 1 });
  assert.ok(events.some((event) => event.event === 'warning' && /other\.csv\.gz/.test(event.message)));
  const rows = plain(await parquetRows(await readFile(join(dir, 'mine_trade_bar_1m.parquet'))));
  assert.deepEqual(rows, expectedRows('trade_bar_1m', csv));
});

test('places outputs by the computed name', async (t) => {
  const dir = await tempDir(t);
  const source = await writeDayFile(dir, 'trades', csvOf('trades', 10));
  const out = join(dir, 'out');
  const { files } = await run([source], {
    out,
    layout: 'hive',
    outputSelection: parseOutputSelection(['trade_bar_1m']),
  });
  assert.equal(
    files[0]?.path,
    join(
      out,
      'exchange=deribit/data_type=trade_bar_1m/dataset_symbol=BTC-PERPETUAL/date=2024-03-01',
      'deribit_trade_bar_1m_2024-03-01_BTC-PERPETUAL.parquet',
    ),
  );
});

test('a corrupt source fails all its outputs and leaves none', async (t) => {
  const dir = await tempDir(t);
  const source = await writeDayFile(dir, 'trades', `${csvOf('trades', 100)}deribit,X,1,2,,buy,nonsense,1\n`);
  const { summary, files } = await run([source], {
    outputSelection: parseOutputSelection(['rows', 'trade_bar_1m', 'trade_bar_1s']),
    keepSource: false,
  });
  assert.deepEqual([summary.exitCode, summary.counts], [6, { failed: 3 }]);
  for (const { error } of files) assert.match(error?.message ?? '', /line 102, column price: "nonsense"/);
  assert.deepEqual(await namesIn(dir), [basename(source)]);
});

test('refuses unknown computed types and suggests the nearest', () => {
  for (const [name, near] of [
    ['trade_bar_1w', /trade_bar_10080m/],
    ['book_snapshot_5', /book_snapshot_5_/],
    ['trades', /is not a computed type/],
    ['quotes', /quote/],
  ] as const) {
    assert.throws(() => parseOutputSelection(['trade_bar_1m', name]), { code: 'usage', message: near });
  }
});

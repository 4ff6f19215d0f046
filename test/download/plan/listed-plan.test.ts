import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDay } from '../../../src/day-files/day.js';
import { placeFiles } from '../../../src/download/plan/listed-plan.js';
import { listScopesOfFiles } from '../../../src/download/plan/plan-prefixes.js';

const FILE = { exchange: 'deribit', dataType: 'trades', symbol: 'BTC', day: parseDay('2024-03-01') };
const BARS = { ...FILE, dataType: 'trade_bar_1m' };
const HIVE =
  'exchange=deribit/data_type=trades/dataset_symbol=BTC/date=2024-03-01/deribit_trades_2024-03-01_BTC';

for (const [path, layout, rows, bars] of [
  [undefined, undefined, 'deribit_trades_2024-03-01_BTC', 'deribit_trade_bar_1m_2024-03-01_BTC'],
  [`${HIVE}.csv.gz`, undefined, HIVE, HIVE.replaceAll('trades', 'trade_bar_1m')],
  [
    'a/deribit_trades_2024-03-01_BTC.csv.gz',
    undefined,
    'a/deribit_trades_2024-03-01_BTC',
    'a/deribit_trade_bar_1m_2024-03-01_BTC',
  ],
  ['mine.csv.gz', undefined, 'mine', 'mine_trade_bar_1m'],
  ['mine.csv.gz', 'hive', HIVE, HIVE.replaceAll('trades', 'trade_bar_1m')],
] as const) {
  test(`conversions of a listed file are beside it: ${path ?? 'no path'}, ${layout ?? 'no layout'}`, () => {
    const [placed] = placeFiles([{ file: FILE, path }], layout).values();
    assert.deepEqual(
      [placed?.path, placed?.pathOf(FILE, 'parquet'), placed?.pathOf(BARS, 'parquet')],
      [`${rows}.csv.gz`, `${rows}.parquet`, `${bars}.parquet`],
    );
  });
}

test('a list needs the records of its data types and days, or all if a path does not identify its file', () => {
  const later = { ...FILE, symbol: 'ETH', day: parseDay('2024-05-07') };
  const quotes = { ...FILE, dataType: 'quotes' };
  const listed = [later, FILE, quotes].map((file) => ({ file }));
  const before = parseDay('2024-01-30');
  const [one, two] = [parseDay('2024-03-02'), parseDay('2024-05-08')];
  for (const layout of ['flat', 'hive'])
    assert.deepEqual(listScopesOfFiles(placeFiles(listed, layout).values()), [
      { exchanges: ['deribit'], dataTypes: ['trades'], from: before, to: two },
      { exchanges: ['deribit'], dataTypes: ['quotes'], from: before, to: one },
    ]);
  const named = placeFiles([{ file: FILE, path: 'mine.csv.gz' }, { file: later }], undefined);
  assert.deepEqual(listScopesOfFiles(named.values()), [{}]);
  assert.deepEqual(listScopesOfFiles([]), []);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvOf } from './batches.js';
import { linesOf } from './lines-of.js';
import type { Row } from './naive/messages.js';

/**
 * Changes of a book, in the short form of the vectors: `100:1,99:2` is two levels; times are milliseconds.
 */
type Change = readonly [time: number, isSnapshot: boolean, bids: string, asks: string];

function changeRows(changes: readonly Change[]): Row[] {
  return changes.flatMap(([time, isSnapshot, bids, asks]) =>
    [...levelRows('bid', bids), ...levelRows('ask', asks)].map((level) => ({
      exchange: 'binance',
      symbol: 'BTCUSDT',
      timestamp: `${time * 1000}`,
      local_timestamp: `${time * 1000 + 7}`,
      is_snapshot: `${isSnapshot}`,
      ...level,
    })),
  );
}

function levelRows(side: string, levels: string): Row[] {
  if (levels === '') return [];
  return levels.split(',').map((level) => {
    const [price = '', amount = ''] = level.split(':');
    return { side, price, amount };
  });
}

/** Snapshots in the same short form; a missing level is an underscore. */
function snapshots(name: string, changes: readonly Change[]): unknown[] {
  const lines = linesOf('incremental_book_L2', csvOf('incremental_book_L2', changeRows(changes)), [name]);
  return lines.map(({ text }) => {
    const { timestamp, localTimestamp, bids, asks } = JSON.parse(text);
    const short = (levels: { price?: number; amount?: number }[]): string =>
      levels.map(({ price, amount }) => (price === undefined ? '_' : `${price}:${amount}`)).join();
    return [Date.parse(timestamp), Date.parse(localTimestamp), short(bids), short(asks)];
  });
}

test('vector 1: removes crossed asks, fills missing levels, and ends an interval with the next change', () => {
  const changes: Change[] = [
    [0, true, '100:1,99:2', '101:1'],
    [49, false, '100:0,102:5', ''],
    [149, false, '100.5:3', '103:1'],
    [449, false, '50:3', ''],
  ];
  assert.deepEqual(snapshots('book_snapshot_3_100ms', changes), [
    [0, 0, '100:1,99:2,_', '101:1,_,_'],
    [100, 149, '102:5,99:2,_', '_,_,_'],
    [200, 449, '102:5,100.5:3,99:2', '103:1,_,_'],
  ]);
  assert.deepEqual(snapshots('quote', changes), [
    [0, 0, '100:1', '101:1'],
    [49, 49, '102:5', '_'],
    [149, 149, '102:5', '103:1'],
  ]);
});

test('vector 2: times that go back, and a snapshot that changes nothing', () => {
  const changes: Change[] = [
    [70, true, '100:1', '101:1'],
    [210, false, '100:2', ''],
    [190, false, '100:3', ''],
    [215, false, '', '150:1'],
    [305, false, '', '160:1'],
    [420, true, '100:3', '101:1'],
    [520, true, '90:3', '91:1'],
    // The vector has an empty change. Day files have none, so this change has no effect instead.
    [700, false, '1:0', ''],
  ];
  assert.deepEqual(snapshots('book_snapshot_1_100ms', changes), [
    [70, 70, '100:1', '101:1'],
    [200, 215, '100:3', '101:1'],
    [600, 700, '90:3', '91:1'],
  ]);
});

test('bar vectors: ticks, volume, a minute, and a late trade', () => {
  const trades = [
    ['100.5', '0.1', 90, 'buy'],
    ['100.6', '0', 91, 'sell'],
    ['101', '1', 58_999, 'sell'],
    ['100.5', '0.1', 60_090, 'buy'],
    ['99', '2', 59_000, 'sell'],
    ['98', '1', 120_000, 'buy'],
  ] as const;
  const rows = trades.map(([price, amount, time, side]) => ({
    ...{ exchange: 'binance', symbol: 'BTCUSDT', price, amount, side },
    timestamp: `${time * 1000}`,
    local_timestamp: `${time * 1000 + 7}`,
  }));
  const names = ['trade_bar_1m', 'trade_bar_2ticks', 'trade_bar_1vol'];
  const bars = linesOf('trades', csvOf('trades', rows), names).map(({ text }) => JSON.parse(text));
  const of = (name: string): Record<string, unknown>[] => bars.filter((bar) => bar.name === name);
  const part = (bar: Record<string, unknown> | undefined, ...keys: string[]): unknown[] =>
    keys.map((key) => bar?.[key]);

  assert.deepEqual(
    part(of('trade_bar_2ticks')[0], 'open', 'close', 'volume', 'vwap'),
    [100.5, 100.6, 0.1, 100.5],
  );
  assert.deepEqual(
    part(of('trade_bar_1vol')[0], 'open', 'high', 'close', 'volume', 'trades'),
    [100.5, 101, 101, 1.1, 3],
  );
  const [first, second] = of('trade_bar_1m');
  assert.deepEqual(part(first, 'buyVolume', 'sellVolume'), [0.1, 1]);
  assert.deepEqual(part(first, 'open', 'high', 'low', 'close', 'volume', 'trades', 'vwap'), [
    ...[100.5, 101, 100.5, 101, 1.1, 3],
    100.95454545454544,
  ]);
  assert.deepEqual(part(first, 'timestamp', 'closeTimestamp'), [
    '1970-01-01T00:01:00.000Z',
    '1970-01-01T00:00:58.999Z',
  ]);
  assert.deepEqual(part(second, 'low', 'volume', 'close', 'closeTimestamp', 'trades'), [
    ...[99, 2.1, 100.5],
    ...['1970-01-01T00:01:00.090Z', 2],
  ]);
});

test('writes the keys of computed lines in their order', () => {
  const [snapshot = { text: '' }] = linesOf(
    'incremental_book_L2',
    csvOf('incremental_book_L2', changeRows([[1_700_000_000_123, true, '100.27:1', '100.31:2']])),
    ['book_snapshot_2_grouped0.1_1s'],
  );
  assert.equal(
    snapshot.text,
    '{"type":"book_snapshot","symbol":"BTCUSDT","exchange":"binance","name":"book_snapshot_2_grouped0.1_1s",' +
      '"depth":2,"interval":1000,"grouping":0.1,"bids":[{"price":100.2,"amount":1},{}],' +
      '"asks":[{"price":100.4,"amount":2},{}],' +
      '"timestamp":"2023-11-14T22:13:20.123Z","localTimestamp":"2023-11-14T22:13:20.123007Z"}',
  );
  const trade = { exchange: 'binance', symbol: 'A"B', price: '1e-7', amount: '0', side: 'unknown' };
  const [bar = { text: '' }] = linesOf(
    'trades',
    csvOf('trades', [{ ...trade, timestamp: '1000001', local_timestamp: '2000000' }]).replace('A"B', 'A\\B'),
    ['trade_bar_1ticks'],
  );
  assert.equal(
    bar.text,
    '{"type":"trade_bar","symbol":"A\\\\B","exchange":"binance","name":"trade_bar_1ticks","interval":1,"kind":"tick",' +
      '"open":1e-7,"high":1e-7,"low":1e-7,"close":1e-7,"volume":0,"buyVolume":0,"sellVolume":0,"trades":1,"vwap":null,' +
      '"openTimestamp":"1970-01-01T00:00:01.000001Z","closeTimestamp":"1970-01-01T00:00:01.000001Z",' +
      '"localTimestamp":"1970-01-01T00:00:02.000000Z","timestamp":"1970-01-01T00:00:01.000001Z"}',
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TickhaulError } from '../../src/base/errors.js';
import { parseComputedTypeName, parseMessageType } from '../../src/market/message-type-name.js';

test('parses names of messages, with their day files', () => {
  const dayFiles = {
    trade: 'trades',
    book_change: 'incremental_book_L2',
    derivative_ticker: 'derivative_ticker',
    liquidation: 'liquidations',
    option_summary: 'options_chain',
    book_ticker: 'book_ticker',
  };
  for (const [name, dataType] of Object.entries(dayFiles)) {
    assert.deepEqual(parseMessageType(name), { kind: 'source', name, dayFileType: dataType });
  }
});

test('parses snapshots, quotes and bars, with their intervals', () => {
  const book = (name: string, depth: number, interval: number, grouping?: number): void =>
    assert.deepEqual(parseMessageType(name), {
      ...{ kind: 'book_snapshot', name, depth, interval, grouping },
      dayFileType: 'incremental_book_L2',
    });
  book('book_snapshot_10_100ms', 10, 100);
  book('book_snapshot_1_0ms', 1, 0);
  book('book_snapshot_25_0m', 25, 0);
  book('book_snapshot_5_grouped0.5_2s', 5, 2000, 0.5);
  book('book_snapshot_5_grouped100_60m', 5, 3_600_000, 100);
  book('quote', 1, 0);
  book('quote_10s', 1, 10_000);
  book('quote_0ms', 1, 0);
  const bar = (name: string, kind: string, interval: number): void =>
    assert.deepEqual(parseComputedTypeName(name), {
      ...{ kind: 'trade_bar', name, bar: kind, interval },
      dayFileType: 'trades',
    });
  bar('trade_bar_1m', 'time', 60_000);
  bar('trade_bar_250ms', 'time', 250);
  bar('trade_bar_100ticks', 'tick', 100);
  bar('trade_bar_0.5vol', 'volume', 0.5);
});

test('bars of files may be named by hours and days; messages may not, as in the service', () => {
  for (const [name, minutes] of [
    ['trade_bar_1h', 60],
    ['trade_bar_4h', 240],
    ['trade_bar_1d', 1440],
  ] as const) {
    assert.deepEqual(parseComputedTypeName(name), parseComputedTypeName(`trade_bar_${minutes}m`));
    assert.throws(() => parseMessageType(name), { code: 'usage', message: /did you mean trade_bar_\d+m\?/ });
  }
  for (const name of ['trade_bar_0h', 'trade_bar_1.5h', 'trade_bar_01d', `trade_bar_${'9'.repeat(400)}h`])
    assert.throws(() => parseComputedTypeName(name), { code: 'usage' });
});

/** Invalid names, with the valid names that the error must suggest. */
const WRONG: Readonly<Record<string, readonly string[]>> = {
  trade_bar_1h: ['trade_bar_60m'],
  trade_bar_4hours: ['trade_bar_240m'],
  trade_bar_1d: ['trade_bar_1440m'],
  trade_bar_1min: ['trade_bar_1m'],
  trade_bar_30sec: ['trade_bar_30s'],
  'trade_bar_0.5m': ['trade_bar_30s'],
  trade_bar: ['trade_bar_1m'],
  trade_bar_0m: ['trade_bar_1m'],
  'trade_bar_-1m': ['trade_bar_1m'],
  trade_bar_01m: ['trade_bar_1m'],
  trade_bar_100tick: ['trade_bar_100ticks'],
  'trade_bar_1.5ticks': ['trade_bar_2ticks'],
  trade_bar_10volume: ['trade_bar_10vol'],
  trade_bar_xm: ['trade_bar_1m'],
  TRADE_BAR_1M: ['trade_bar_1m'],
  'trade-bar-5m': ['trade_bar_5m'],
  ohlcv: ['trade_bar_1m'],
  ohlcv_5m: ['trade_bar_5m'],
  candles: ['trade_bar_1m'],
  candles_1h: ['trade_bar_60m'],
  bars: ['trade_bar_1m'],
  klines_1m: ['trade_bar_1m'],
  book_snapshot_5: ['book_snapshot_5_0ms', 'book_snapshot_5_1s'],
  book_snapshot_5_1h: ['book_snapshot_5_60m'],
  book_snapshot_0_1s: ['book_snapshot_1_1s'],
  'book_snapshot_2.5_1s': ['book_snapshot_2_1s'],
  book_snapshot_3_s: ['book_snapshot_3_1s'],
  book_snapshot_a_1s: ['book_snapshot_10_1s'],
  book_snapshot_5_grouped0_1s: ['book_snapshot_5_1s'],
  book_snapshot_05_1s: ['book_snapshot_5_1s'],
  quotes: ['quote'],
  quotes_1s: ['quote_1s'],
  quote_1h: ['quote_60m'],
  quote_x: ['quote_1s'],
  trades: ['trade'],
  Trade: ['trade'],
  liquidations: ['liquidation'],
  orderbook: ['book_change', 'book_snapshot_10_100ms'],
  incremental_book_L2: ['book_change'],
  options_chain: ['option_summary'],
  derivative_tickers: ['derivative_ticker'],
  book_changes: ['book_change'],
};

test('an invalid name suggests the nearest valid names', () => {
  for (const [wrong, right] of Object.entries(WRONG)) {
    const message = `"${wrong}" is not a normalized data type; did you mean ${right.join(' or ')}?`;
    assert.throws(() => parseMessageType(wrong), { code: 'usage', message });
  }
  assert.throws(() => parseMessageType('xyz'), { code: 'usage', message: /use trade, book_change/ });
});

test('a message type is not a computed type', () => {
  for (const [name, near] of [
    ['trade', 'trade_bar_1m'],
    ['trades', 'trade_bar_1m'],
    ['book_change', 'book_snapshot_10_100ms'],
    ['trade_bar_1w', 'trade_bar_10080m'],
  ] as const) {
    const message = new RegExp(`is not a computed type.*did you mean ${near}\\?$`);
    assert.throws(() => parseComputedTypeName(name), { message });
  }
});

test('without a near computed type, lists all of them and the other allowed values', () => {
  assert.throws(() => parseComputedTypeName('xyz_1m', ['rows']), {
    code: 'usage',
    message:
      '"xyz_1m" is not a computed type; use book_snapshot_{levels}[_grouped{g}]_{n}{ms,s,m}, quote, quote_{n}{ms,s,m}, trade_bar_{n}{ms,s,m,ticks,vol}, rows',
  });
});

test('any text is a type or a usage error of one line, and suggestions are valid', () => {
  const part = fc.constantFrom(
    ...[
      'trade',
      'bar',
      'book',
      'snapshot',
      'quote',
      'quotes',
      '_',
      '_',
      'grouped',
      '0',
      '1',
      '5',
      '60',
      '.',
      '-',
      '1e3',
    ],
    ...['ms', 's', 'm', 'h', 'ticks', 'vol', 'd', 'toString', '__proto__', 'candles', '9'.repeat(400)],
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(part, { maxLength: 9 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, (name) => {
      try {
        assert.equal(parseMessageType(name).name, name);
      } catch (error) {
        assert.ok(error instanceof TickhaulError, String(error));
        assert.equal(error.code, 'usage');
        const named = /; did you mean (.*)\?$/.exec(error.message)?.[1];
        for (const right of named?.split(/, | or /) ?? []) assert.equal(parseMessageType(right).name, right);
      }
    }),
    { numRuns: 3000 },
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  chooseExchange,
  choosePeriod,
  chooseSymbol,
  computeProgress,
  createWatchRequest,
} from '../../../src/server/browser/form-requests.js';
import {
  countDecimals,
  formatFixed,
  formatShort,
  MAX_TRADES,
  PriceColumns,
  readPrice,
  ViewData,
} from '../../../src/server/browser/view-data.js';

test('shows the latest trades, latest first', () => {
  const data = new ViewData('trade');
  for (let at = 0; at < 2 * MAX_TRADES; at++) {
    data.add({ type: 'trade', localTimestamp: '', price: at, amount: 1, side: 'buy' }, at);
    const prices = Array.from({ length: Math.min(at + 1, MAX_TRADES) }, (_, before) => at - before);
    assert.deepEqual(
      data.trades.map(({ price }) => price),
      prices,
    );
  }
});

test('the number of price columns is limited, and they cover all prices', () => {
  const trade = fc.record({ time: fc.nat(1e9), price: fc.integer({ min: 1, max: 1e6 }) });
  fc.assert(
    fc.property(fc.array(trade, { minLength: 1 }), fc.integer({ min: 2, max: 20 }), (unsorted, max) => {
      const trades = unsorted.toSorted((a, b) => a.time - b.time);
      const columns = new PriceColumns(max, 100);
      for (const { time, price } of trades) columns.add(time, price);
      const { width, highs, lows, lasts } = columns;
      const slots = new Map<number, number[]>();
      for (const { time, price } of trades) {
        const slot = Math.floor(time / width);
        slots.set(slot, [...(slots.get(slot) ?? []), price]);
      }
      assert.ok(slots.size <= max);
      assert.deepEqual(
        columns.seconds(),
        [...slots.keys()].map((slot) => (slot * width) / 1000),
      );
      assert.deepEqual(
        highs.map((high, at) => [high, lows[at], lasts[at]]),
        [...slots.values()].map((prices) => [Math.max(...prices), Math.min(...prices), prices.at(-1)]),
      );
    }),
  );
});

test('an earlier time counts in the last column', () => {
  const columns = new PriceColumns(10, 100);
  for (const [time, price] of [
    [1000, 5],
    [1200, 6],
    [1050, 1],
  ] as const) {
    columns.add(time, price);
  }
  assert.deepEqual(
    [columns.seconds(), columns.lows, columns.lasts],
    [
      [1, 1.2],
      [5, 1],
      [5, 1],
    ],
  );
});

test('reads prices of trades, books and tickers', () => {
  const about = { type: '', localTimestamp: '' };
  assert.equal(readPrice({ ...about, price: 3 }), 3);
  assert.equal(readPrice({ ...about, bids: [{ price: 2, amount: 1 }], asks: [{ price: 3 }] }), 2.5);
  assert.equal(readPrice({ ...about, bids: [{}], asks: [{ price: 3 }] }), undefined);
  assert.equal(readPrice({ ...about, markPrice: 7 }), 7);
});

test('formats numbers with equal and minimal decimals', () => {
  assert.equal(countDecimals([1, 0.25, 100.5]), 2);
  assert.equal(countDecimals([1e-7, undefined]), 7);
  assert.equal(countDecimals([0.1 + 0.2]), 1);
  assert.deepEqual([formatFixed(1.5, 2), formatFixed(undefined, 2)], ['1.50', '–']);
  assert.deepEqual(
    [formatShort(0.0002442293677276468), formatShort(1e-8), formatShort(undefined)],
    ['0.0002442293677', '1e-8', '–'],
  );
});

test('computes the progress in a period for all forms of times', () => {
  const at = Date.parse('2024-03-01T06:00:00Z');
  for (const from of ['2024-03-01', '2024-03-01T00:00', '2024-03-01 00:00:00', '2024-03-01T00:00:00+00:00']) {
    assert.equal(computeProgress({ from, to: '2024-03-02' }, at), 0.25, from);
  }
  assert.equal(computeProgress({ from: '2024-03-02', to: '2024-03-03' }, at), 0);
  assert.equal(computeProgress({ from: 'noon', to: '2024-03-03' }, at), 0);
});

test('creates a request of the selected types and reports missing fields', () => {
  const form = { exchange: 'bitmex', symbol: ' XBTUSD', from: '2024-03-01', to: '2024-03-02' };
  const { path, priceType } = createWatchRequest({ ...form, trade: false, book: true, ticker: true });
  assert.equal(priceType, 'book_snapshot');
  assert.deepEqual(JSON.parse(new URL(path, 'http://x').searchParams.get('options') ?? ''), {
    exchange: 'bitmex',
    symbols: ['XBTUSD'],
    from: '2024-03-01',
    to: '2024-03-02',
    dataTypes: ['book_snapshot_10_100ms', 'derivative_ticker'],
    withDisconnectMessages: true,
  });
  const none = { trade: false, book: false, ticker: false };
  assert.throws(() => createWatchRequest({ ...form, ...none }), /^Error: Select what to show/);
  assert.throws(
    () => createWatchRequest({ ...form, ...none, trade: true, symbol: ' ' }),
    /Fill in the symbol/,
  );
  assert.throws(() => createWatchRequest({ ...form, ...none, trade: true, to: '' }), /Fill in the period/);
});

test('the default selection is a well-known symbol on a day that needs no key', () => {
  assert.equal(chooseExchange(['aster', 'bitmex', 'deribit']), 'bitmex');
  assert.equal(chooseExchange(['aster', 'zeta']), 'aster');
  assert.equal(chooseExchange([]), '');
  assert.equal(chooseSymbol(['1INCHUSDT', 'btcusdt']), 'btcusdt');
  assert.equal(chooseSymbol(['1INCHUSDT']), '1INCHUSDT');
  const now = Date.parse('2024-03-01T12:00:00Z');
  assert.deepEqual(choosePeriod(undefined, now), { from: '2024-02-01T00:00', to: '2024-02-01T01:00' });
  assert.equal(choosePeriod(undefined, now + 86_400_000).from, '2024-03-01T00:00');
  assert.equal(choosePeriod('2020-06-26T12:00:00.000Z', now).from, '2020-06-01T00:00');
  assert.equal(choosePeriod('soon', now).from, '2024-02-01T00:00');
});

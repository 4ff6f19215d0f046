import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { firstExchange, firstPeriod, firstSymbol } from '../../../../src/server/page/browser/first-choice.js';
import { decimalsOf, fixed, short } from '../../../../src/server/page/browser/watch/numbers.js';
import { PriceColumns } from '../../../../src/server/page/browser/watch/price-columns.js';
import { shareOf, watchRequest } from '../../../../src/server/page/browser/watch/request.js';
import { Ring } from '../../../../src/server/page/browser/watch/ring.js';
import { priceOf } from '../../../../src/server/page/browser/watch/watched.js';

test('a ring has the latest values, the latest first', () => {
  fc.assert(
    fc.property(fc.array(fc.nat()), fc.integer({ min: 1, max: 9 }), (values, most) => {
      const ring = new Ring<number>(most);
      for (const value of values) ring.push(value);
      assert.deepEqual(ring.latest(), values.slice(-most).reverse());
    }),
  );
});

test('columns of prices are few, and hold all that was added', () => {
  const trade = fc.record({ time: fc.nat(1e9), price: fc.integer({ min: 1, max: 1e6 }) });
  fc.assert(
    fc.property(fc.array(trade, { minLength: 1 }), fc.integer({ min: 2, max: 20 }), (unsorted, most) => {
      const trades = unsorted.toSorted((a, b) => a.time - b.time);
      const columns = new PriceColumns(most, 100);
      for (const { time, price } of trades) columns.add(time, price);
      const { width, highs, lows, lasts } = columns;
      const slots = new Map<number, number[]>();
      for (const { time, price } of trades) {
        const slot = Math.floor(time / width);
        slots.set(slot, [...(slots.get(slot) ?? []), price]);
      }
      assert.ok(slots.size <= most);
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

test('a time that steps back counts in the last column', () => {
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

test('prices of trades, of the middle of a book, of tickers', () => {
  const about = { type: '', localTimestamp: '' };
  assert.equal(priceOf({ ...about, price: 3 }), 3);
  assert.equal(priceOf({ ...about, bids: [{ price: 2, amount: 1 }], asks: [{ price: 3 }] }), 2.5);
  assert.equal(priceOf({ ...about, bids: [{}], asks: [{ price: 3 }] }), undefined);
  assert.equal(priceOf({ ...about, markPrice: 7 }), 7);
});

test('numbers are shown alike, and no longer than they are', () => {
  assert.equal(decimalsOf([1, 0.25, 100.5]), 2);
  assert.equal(decimalsOf([1e-7, undefined]), 7);
  assert.equal(decimalsOf([0.1 + 0.2]), 1);
  assert.deepEqual([fixed(1.5, 2), fixed(undefined, 2)], ['1.50', '–']);
  assert.deepEqual(
    [short(0.0002442293677276468), short(1e-8), short(undefined)],
    ['0.0002442293677', '1e-8', '–'],
  );
});

test('the share of a period, whatever form its times have', () => {
  const at = Date.parse('2024-03-01T06:00:00Z');
  for (const from of ['2024-03-01', '2024-03-01T00:00', '2024-03-01 00:00:00', '2024-03-01T00:00:00+00:00']) {
    assert.equal(shareOf({ from, to: '2024-03-02' }, at), 0.25, from);
  }
  assert.equal(shareOf({ from: '2024-03-02', to: '2024-03-03' }, at), 0);
  assert.equal(shareOf({ from: 'noon', to: '2024-03-03' }, at), 0);
});

test('a request names what is ticked, and says what is missing', () => {
  const form = { exchange: 'bitmex', symbol: ' XBTUSD', from: '2024-03-01', to: '2024-03-02' };
  const { path, priceType } = watchRequest({ ...form, trade: false, book: true, ticker: true });
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
  assert.throws(() => watchRequest({ ...form, ...none }), /^Error: Tick what to show/);
  assert.throws(() => watchRequest({ ...form, ...none, trade: true, symbol: ' ' }), /Fill in the symbol/);
  assert.throws(() => watchRequest({ ...form, ...none, trade: true, to: '' }), /Fill in the period/);
});

test('the first choice is what most people know, and days that need no key', () => {
  assert.equal(firstExchange(['aster', 'bitmex', 'deribit']), 'bitmex');
  assert.equal(firstExchange(['aster', 'zeta']), 'aster');
  assert.equal(firstExchange([]), '');
  assert.equal(firstSymbol(['1INCHUSDT', 'btcusdt']), 'btcusdt');
  assert.equal(firstSymbol(['1INCHUSDT']), '1INCHUSDT');
  const now = Date.parse('2024-03-01T12:00:00Z');
  assert.deepEqual(firstPeriod(undefined, now), { from: '2024-02-01T00:00', to: '2024-02-01T01:00' });
  assert.equal(firstPeriod(undefined, now + 86_400_000).from, '2024-03-01T00:00');
  assert.equal(firstPeriod('2020-06-26T12:00:00.000Z', now).from, '2020-06-01T00:00');
  assert.equal(firstPeriod('soon', now).from, '2024-02-01T00:00');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnknownFormError } from '../../../src/exchange-adapters/normalizer.js';
import {
  polymarketBooks,
  polymarketBookTickers,
  polymarketTrades,
} from '../../../src/exchange-adapters/own/polymarket-normalizers.js';
import { linesOf } from '../feed-lines-of.js';
import { AT_LOCAL, AT_MS, MS, read } from './messages.js';

/** Beyond the exact integers of a double. */
const TOKEN = '50004092451487013519117521377876897159157506656261391593572775546589316505011';

test("Polymarket's trades, and sides that it does not document", () => {
  const trade = (side: unknown): object => ({
    event_type: 'last_trade_price',
    asset_id: TOKEN,
    price: '0.60',
    size: '100',
    side,
    timestamp: MS,
    transaction_hash: 'abc',
  });
  const record = { type: 'trade', symbol: TOKEN, id: 'abc', price: 0.6, amount: 100, ...AT_MS };
  for (const [side, expected] of [
    ['BUY', 'buy'],
    ['SELL', 'sell'],
    ['', 'unknown'],
    [undefined, 'unknown'],
  ]) {
    assert.deepEqual(read(polymarketTrades(), trade(side)), [{ ...record, side: expected }]);
  }
  assert.deepEqual(read(polymarketTrades(), [trade('BUY'), { event_type: 'book' }]).length, 1);
});

test("Polymarket's books: alone or in a list, and each price change is a record", () => {
  const books = polymarketBooks();
  const whole = {
    event_type: 'book',
    asset_id: TOKEN,
    bids: [{ price: '0.01', size: '505' }],
    asks: [],
    timestamp: MS,
  };
  const record = { type: 'book_change', symbol: TOKEN, isSnapshot: true, asks: [], ...AT_MS };
  const bids = [{ price: 0.01, amount: 505 }];
  assert.deepEqual(read(books, whole), [{ ...record, bids }]);
  const { bids: _, ...oneSided } = whole;
  assert.deepEqual(read(books, [whole, { ...oneSided, asset_id: '7', timestamp: undefined }, null]), [
    { ...record, bids },
    { ...record, symbol: '7', bids: [], ...AT_LOCAL },
  ]);
  assert.deepEqual(read(books, []), []);
  const changes = [
    { asset_id: TOKEN, price: '0.05', size: '0', side: 'BUY' },
    { asset_id: '7', price: '0.95', size: '2849.22', side: 'SELL' },
  ];
  const changed = { event_type: 'price_change', timestamp: MS, price_changes: changes };
  assert.deepEqual(read(books, changed), [
    { ...record, isSnapshot: false, bids: [{ price: 0.05, amount: 0 }] },
    { ...record, isSnapshot: false, symbol: '7', bids: [], asks: [{ price: 0.95, amount: 2849.22 }] },
  ]);
  assert.deepEqual(read(books, { ...changed, price_changes: [] }), []);
  for (const event_type of ['tick_size_change', 'new_market', 'market_resolved', undefined])
    assert.deepEqual(read(books, { ...changed, event_type }), []);
  assert.ok(polymarketTrades().handles?.([whole, changed]));
  assert.ok(polymarketTrades().handles?.({ event_type: 'new_market' }));
  assert.ok(!polymarketTrades().handles?.({ event_type: 'trade' }));
  const withoutSide = { ...changed, price_changes: [{ ...changes[0], side: 'HOLD' }] };
  assert.throws(() => read(books, withoutSide), UnknownFormError);
  assert.deepEqual(books.filters([TOKEN]), [
    { channel: 'book', symbols: [TOKEN] },
    { channel: 'price_change', symbols: [TOKEN] },
  ]);
});

test("Polymarket's best prices have no amounts, with the bid first in lines", async () => {
  const best = (best_bid: string, best_ask: string): object => ({
    event_type: 'best_bid_ask',
    asset_id: '7',
    best_bid,
    best_ask,
    timestamp: MS,
  });
  assert.deepEqual(read(polymarketBookTickers(), best('0', '')), [
    { type: 'book_ticker', symbol: '7', ...AT_MS },
  ]);
  const [line] = await linesOf({ exchange: 'polymarket', types: 'book_ticker' }, [
    ['2026-08-03T10:00:00.5000000Z', best('0.48', '0.51')],
  ]);
  assert.match(line ?? '', /"exchange":"polymarket","bidPrice":0.48,"askPrice":0.51,"timestamp"/);
});

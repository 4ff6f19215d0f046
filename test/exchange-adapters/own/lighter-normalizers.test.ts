import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Normalizer, UnknownFormError } from '../../../src/exchange-adapters/normalizer.js';
import {
  lighterBooks,
  lighterBookTickers,
  lighterDerivativeTickers,
  lighterLiquidations,
  lighterTrades,
} from '../../../src/exchange-adapters/own/lighter-normalizers.js';
import { linesOf } from '../feed-lines-of.js';
import { normalizeMessages } from '../records-of.js';
import { AT_LOCAL, AT_MS, LOCAL, MS, read, TIME } from './messages.js';

const TRADE = {
  trade_id: 7,
  trade_id_str: '18240999426',
  type: 'trade',
  market_id: 1,
  size: '0.00012',
  price: '75196.7',
  is_maker_ask: false,
  timestamp: Number(MS),
};

test("Lighter's trades and liquidations: separate lists, the taker's side, nothing from before the connection", () => {
  const message = (kind: string, lists: object): object => ({
    type: `${kind}/trade`,
    channel: 'trade:1',
    ...lists,
  });
  const trade = { symbol: '1', id: '18240999426', price: 75196.7, amount: 0.00012, side: 'sell', ...AT_MS };
  const { trade_id_str: _, ...withoutText } = TRADE;
  const trades = [TRADE, { ...withoutText, is_maker_ask: true }, { ...TRADE, is_maker_ask: null }, null];
  const both = { trades, liquidation_trades: [{ ...TRADE, type: 'liquidation', is_maker_ask: true }] };
  assert.deepEqual(read(lighterTrades(), message('update', both)), [
    { type: 'trade', ...trade },
    { type: 'trade', ...trade, id: '7', side: 'buy' },
    { type: 'trade', ...trade, side: 'unknown' },
  ]);
  assert.deepEqual(read(lighterLiquidations(), message('update', both)), [
    { type: 'liquidation', ...trade, side: 'buy' },
  ]);
  for (const normalizer of [lighterTrades(), lighterLiquidations()]) {
    assert.deepEqual(read(normalizer, message('subscribed', both)), []);
    assert.deepEqual(read(normalizer, message('update', { trades: null })), []);
    assert.deepEqual(read(normalizer, { type: 'connected', session_id: 'x' }), []);
    assert.deepEqual(normalizer.filters(['1']), [{ channel: 'trade', symbols: ['1'] }]);
  }
  const others = ['deleverage', 'market-settlement'].map((type) => ({ ...TRADE, type }));
  assert.deepEqual(read(lighterLiquidations(), message('update', { liquidation_trades: others })), []);
});

function book(kind: string, channel: string, order_book: object): object {
  return { type: `${kind}/order_book`, channel, timestamp: Number(MS), order_book };
}

test("Lighter's books: a snapshot, updates, one side or none, and no book of all markets", () => {
  const books = lighterBooks();
  const bids = [{ price: '75300.4', size: '0.00117' }];
  const record = { type: 'book_change', symbol: '1', asks: [], ...AT_MS };
  assert.deepEqual(read(books, book('subscribed', 'order_book:1', { bids, asks: [], nonce: 5 })), [
    { ...record, isSnapshot: true, bids: [{ price: 75300.4, amount: 0.00117 }] },
  ]);
  const gone = [{ price: '75300.4', size: '0.00000' }];
  const update = { bids: gone, begin_nonce: 5, nonce: 9 };
  assert.deepEqual(read(books, book('update', 'order_book:1', update)), [
    { ...record, isSnapshot: false, bids: [{ price: 75300.4, amount: 0 }] },
  ]);
  const empty = { bids: [], asks: [], begin_nonce: 9, nonce: 10 };
  assert.deepEqual(read(books, book('update', 'order_book:1', empty)), [
    { ...record, isSnapshot: false, bids: [] },
  ]);
  // Each market has its own numbers, and an update without them cannot be checked.
  assert.equal(read(books, book('update', 'order_book:2', { bids, begin_nonce: 70, nonce: 71 })).length, 1);
  assert.equal(read(books, book('update', 'order_book:1', { bids })).length, 1);
  assert.deepEqual(read(books, book('update', 'order_book:all', empty)), []);
  assert.deepEqual(read(books, book('update', 'order_book', empty)), []);
  assert.deepEqual(books.filters(undefined), [{ channel: 'order_book' }]);
});

test('messages of its channels that have another form are unknown, and no others', () => {
  const unknown: readonly (readonly [Normalizer, object])[] = [
    [lighterTrades(), { type: 'update2/trade', channel: 'trade:1', trades: [TRADE] }],
    [lighterTrades(), { type: 'update/trade', channel: 'trade:1', trades: { 0: TRADE } }],
    [lighterBooks(), book('update', 'order_book:1', { bids: 'none' })],
    [lighterBooks(), { type: 'update/order_book', channel: 'order_book:1', book: {} }],
    [lighterBookTickers(), { type: 'update/ticker', channel: 'ticker:1', ticker: [] }],
    [lighterDerivativeTickers(), { type: 'update/market_stats', channel: 'market_stats:all' }],
  ];
  for (const [normalizer, message] of unknown)
    assert.throws(() => read(normalizer, message), UnknownFormError, JSON.stringify(message));
  for (const message of [
    { type: 'connected', session_id: 'x' },
    { type: 'unsubscribed/trade', channel: 'trade:1' },
    { type: 'update/height', channel: 'height', height: 1 },
    { type: 'ping' },
  ]) {
    for (const [normalizer] of unknown) assert.deepEqual(read(normalizer, message), []);
  }
});

test('a gap in a book ends the replay with the exchange, the market and both numbers', async () => {
  const messages = [
    book('subscribed', 'order_book:1', { bids: [], asks: [], nonce: 100, begin_nonce: 0 }),
    book('update', 'order_book:1', { bids: [], asks: [], begin_nonce: 100, nonce: 104 }),
    book('update', 'order_book:1', { bids: [], asks: [], begin_nonce: 106, nonce: 109 }),
  ];
  const at = (second: number): string => `2026-04-20T11:35:0${second}.0000000Z`;
  const events = messages.map((message, i) => [at(i), message] as const);
  await assert.rejects(linesOf({ exchange: 'lighter', types: 'book_change' }, events), {
    code: 'corrupt',
    message:
      'lighter: the book of 1 lacks updates: updates 107 to 109 came after update 104; ' +
      'use --source datasets, or --channel for the original messages',
  });
  // After a disconnect a book starts again.
  const [first, second, third] = events;
  assert.ok(first && second && third);
  const lines = await linesOf({ exchange: 'lighter', types: 'book_change' }, [
    first,
    second,
    'disconnect',
    third,
  ]);
  assert.equal(lines.length, 3);
});

test("Lighter's best prices and statistics: missing sides, and only changed values", () => {
  const ticker = (values: object, kind = 'update'): object => ({
    type: `${kind}/ticker`,
    channel: 'ticker:1',
    ticker: { s: 'BTC', ...values },
    timestamp: Number(MS),
  });
  const a = { price: '75300.5', size: '0.08' };
  assert.deepEqual(read(lighterBookTickers(), ticker({ a, b: { price: '0', size: '0' } })), [
    { type: 'book_ticker', symbol: '1', askAmount: 0.08, askPrice: 75300.5, ...AT_MS },
  ]);
  assert.deepEqual(read(lighterBookTickers(), ticker({ b: a })), [
    { type: 'book_ticker', symbol: '1', bidPrice: 75300.5, bidAmount: 0.08, ...AT_MS },
  ]);
  assert.deepEqual(read(lighterBookTickers(), ticker({ a }, 'subscribed')), []);

  const market = { market_id: 1, index_price: '75281.9', mark_price: '75241.1', open_interest: '0' };
  const stats = (channel: string, market_stats: object, timestamp: unknown = Number(MS)): object => ({
    message: { type: 'update/market_stats', channel, market_stats, timestamp },
    localTimestamp: LOCAL,
  });
  const messages = [
    stats('market_stats:all', { 1: market, 0: { market_id: 0, current_funding_rate: '-0.0011' } }),
    stats('market_stats:1', { ...market, last_trade_price: '' }),
    stats('market_stats:1', { ...market, last_trade_price: '75232.0' }, Number(MS) - 10),
  ] as { message: unknown; localTimestamp: number }[];
  const first = {
    type: 'derivative_ticker',
    symbol: '1',
    indexPrice: 75281.9,
    markPrice: 75241.1,
    openInterest: 0,
    ...AT_MS,
  };
  assert.deepEqual(normalizeMessages([lighterDerivativeTickers()], messages), [
    { type: 'derivative_ticker', symbol: '0', fundingRate: -0.0011, ...AT_MS },
    first,
    { ...first, lastPrice: 75232, timestamp: TIME },
  ]);
  const untimed = stats('market_stats:1', market, null) as { message: unknown };
  assert.deepEqual(read(lighterDerivativeTickers(), untimed.message), [{ ...first, ...AT_LOCAL }]);
  assert.deepEqual(lighterDerivativeTickers().filters(['1']), [{ channel: 'market_stats' }]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnknownFormError } from '../../../src/exchange-adapters/normalizer.js';
import {
  asterBooks,
  asterBookTickers,
  asterDerivativeTickers,
  asterFuturesBooks,
  asterLiquidations,
  asterTrades,
} from '../../../src/exchange-adapters/own/aster-normalizers.js';
import { normalizeMessages } from '../records-of.js';
import { AT_LOCAL, AT_MS, LOCAL, MS, read, TIME } from './messages.js';

const ms = Number(MS);
const on = (channel: string, data: object): object => ({ stream: `btcusdt@${channel}`, data });

test("Aster's trades are those of the order book", () => {
  const trade = { e: 'trade', E: ms + 1, s: 'BTCUSDT', t: 12345, p: '5.1', q: '0.2', T: ms, m: true };
  const expected = { type: 'trade', symbol: 'BTCUSDT', id: '12345', price: 5.1, amount: 0.2, ...AT_MS };
  assert.deepEqual(read(asterTrades(), on('trade', trade)), [{ ...expected, side: 'sell' }]);
  const bought = { ...trade, X: 'MARKET', m: false };
  assert.deepEqual(read(asterTrades(), on('trade', bought)), [{ ...expected, side: 'buy' }]);
  for (const X of ['INSURANCE_FUND', 'ADL', 'NA']) {
    assert.deepEqual(read(asterTrades(), on('trade', { ...trade, X })), []);
  }
  assert.deepEqual(read(asterTrades(), on('aggTrade', trade)), []);
  assert.deepEqual(read(asterTrades(), { result: null, id: 1 }), []);
  assert.deepEqual(asterTrades().filters(['BTCUSDT']), [{ channel: 'trade', symbols: ['btcusdt'] }]);
  assert.throws(() => read(asterTrades(), on('trade', { ...trade, p: undefined })), UnknownFormError);
  assert.throws(() => read(asterTrades(), { stream: 'btcusdt@trade', data: null }), UnknownFormError);
});

test("Aster's best prices have the local time in the spot market, and may lack a side", () => {
  const ticker = { u: 4, s: 'BTCUSDT', b: '5.1', B: '1.2', a: '', A: null };
  const expected = { type: 'book_ticker', symbol: 'BTCUSDT', bidPrice: 5.1, bidAmount: 1.2 };
  assert.deepEqual(read(asterBookTickers(), on('bookTicker', ticker)), [{ ...expected, ...AT_LOCAL }]);
  assert.deepEqual(read(asterBookTickers(), on('bookTicker', { ...ticker, E: ms })), [
    { ...expected, ...AT_MS },
  ]);
});

const change = (U: number, u: number, pu: number, more: object = {}): object =>
  on('depth@0ms', { e: 'depthUpdate', E: ms, s: 'BTCUSDT', U, u, pu, b: [['5', '3']], a: [], ...more });
const snapshot = (lastUpdateId: number, more: object = {}): object => ({
  ...on('depthSnapshot', {
    lastUpdateId,
    bids: [
      ['5.0', '1'],
      ['4', '1'],
    ],
    asks: [['6', '2']],
    ...more,
  }),
  generated: true,
});

test("Aster's snapshot contains the changes before it, and missing sides are empty", () => {
  const books = asterBooks(false);
  const messages = [
    change(9, 9, 8),
    change(11, 12, 9, {
      b: undefined,
      a: [
        ['6.00', '0'],
        ['7', '1'],
      ],
    }),
    snapshot(10, { T: ms }),
    snapshot(30),
    change(13, 13, 12),
  ];
  const records = normalizeMessages(
    [books],
    messages.map((message) => ({ message, localTimestamp: LOCAL })),
  );
  const common = { type: 'book_change', symbol: 'BTCUSDT', ...AT_MS };
  assert.deepEqual(records, [
    {
      ...common,
      isSnapshot: true,
      bids: [
        { price: 5, amount: 1 },
        { price: 4, amount: 1 },
      ],
      asks: [{ price: 7, amount: 1 }],
    },
    { ...common, isSnapshot: false, bids: [{ price: 5, amount: 3 }], asks: [] },
  ]);
  assert.deepEqual(read(asterBooks(false), snapshot(10, { asks: undefined })), [
    {
      ...{ type: 'book_change', symbol: 'BTCUSDT', isSnapshot: true, ...AT_LOCAL },
      bids: [
        { price: 5, amount: 1 },
        { price: 4, amount: 1 },
      ],
      asks: [],
    },
  ]);
  assert.deepEqual(asterFuturesBooks(false).filters(['BTCUSDT']), [
    { channel: 'depth', symbols: ['btcusdt'] },
    { channel: 'depthSnapshot', symbols: ['btcusdt'] },
  ]);
  assert.throws(() => read(asterBooks(false), change(1, 2, Number.NaN)), UnknownFormError);
  assert.throws(() => read(asterBooks(false), snapshot(1, { lastUpdateId: 'x' })), UnknownFormError);
});

test("A gap in Aster's book names the exchange, the symbol and both numbers", () => {
  const gap = asterFuturesBooks(false);
  read(gap, snapshot(10));
  read(gap, change(10, 12, 9));
  assert.throws(() => read(gap, change(20, 22, 19)), {
    code: 'corrupt',
    message:
      'aster-futures: the book of BTCUSDT lacks updates: updates 20 to 22 came after update 12; ' +
      'use --source datasets, or --channel for the original messages',
  });
  const live = asterBooks(true);
  read(live, snapshot(10));
  assert.throws(() => read(live, change(20, 20, 19)), {
    code: 'corrupt',
    message: 'aster: the book of BTCUSDT lacks updates: update 20 came after the snapshot of update 10',
  });
  // A new market has an empty book without a number.
  const empty = asterBooks(true);
  read(empty, snapshot(-1, { bids: [], asks: [] }));
  assert.equal(read(empty, change(20, 20, 19)).length, 1);
});

test("Aster's derivative tickers: funding only if the market has some", () => {
  const tickers = asterDerivativeTickers();
  const messages = [
    on('markPrice@1s', { e: 'markPriceUpdate', E: ms, s: 'BTCUSDT', p: '9.5', i: '9.4', r: '', T: 0 }),
    on('ticker', { e: '24hrTicker', E: ms - 1, s: 'BTCUSDT', c: '9.6' }),
    on('ticker', { e: '24hrTicker', E: ms, s: 'BTCUSDT', c: '9.6' }),
    on('openInterest', { symbol: 'BTCUSDT', openInterest: '7', time: ms }),
    on('markPrice@1s', { e: 'markPriceUpdate', E: ms, s: 'BTCUSDT', p: '9.5', i: '9.4', r: '0.1', T: ms }),
  ];
  const records = normalizeMessages(
    [tickers],
    messages.map((message) => ({ message, localTimestamp: LOCAL })),
  );
  const first = { type: 'derivative_ticker', symbol: 'BTCUSDT', markPrice: 9.5, indexPrice: 9.4, ...AT_MS };
  assert.deepEqual(records, [
    first,
    { ...first, lastPrice: 9.6 },
    { ...first, lastPrice: 9.6, openInterest: 7 },
    { ...first, lastPrice: 9.6, openInterest: 7, fundingRate: 0.1, fundingTimestamp: TIME },
  ]);
});

test("Aster's liquidations are completely filled orders", () => {
  const order = { s: 'BTCUSDT', S: 'SELL', p: '4793.91', z: '0.014', X: 'FILLED', T: ms };
  const sent = (more: object): object => on('forceOrder', { e: 'forceOrder', o: { ...order, ...more } });
  assert.deepEqual(read(asterLiquidations(), sent({})), [
    { type: 'liquidation', symbol: 'BTCUSDT', price: 4793.91, amount: 0.014, side: 'sell', ...AT_MS },
  ]);
  assert.deepEqual(read(asterLiquidations(), sent({ X: 'PARTIALLY_FILLED' })), []);
});

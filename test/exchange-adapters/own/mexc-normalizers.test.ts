import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnknownFormError } from '../../../src/exchange-adapters/normalizer.js';
import {
  mexcBooks,
  mexcBookTickers,
  mexcFuturesBooks,
  mexcFuturesDerivativeTickers,
  mexcFuturesTrades,
  mexcTrades,
} from '../../../src/exchange-adapters/own/mexc-normalizers.js';
import { normalizeMessages } from '../records-of.js';
import { AT_MS, LOCAL, MS, read, TIME } from './messages.js';

const ms = Number(MS);
const onSpot = (name: string, body: object): object => ({
  channel: `spot@public.aggre.${name}.v3.api.pb@10ms@BTCUSDT`,
  symbol: 'BTCUSDT',
  sendTime: MS,
  ...body,
});
const atOnce = (messages: readonly object[]) =>
  messages.map((message) => ({ message, localTimestamp: LOCAL }));

test("MEXC's trades: several in a message, and messages without a body", () => {
  const deals = [
    { price: '100.1', quantity: '0.2', tradeType: 1, time: MS, tradeId: '1X0_2X0' },
    { price: '100.2', quantity: '0.3', tradeType: 2, time: ms },
  ];
  const common = { type: 'trade', symbol: 'BTCUSDT', ...AT_MS };
  assert.deepEqual(read(mexcTrades(), onSpot('deals', { publicAggreDeals: { deals } })), [
    { ...common, id: '1X0_2X0', price: 100.1, amount: 0.2, side: 'buy' },
    { ...common, price: 100.2, amount: 0.3, side: 'sell' },
  ]);
  assert.deepEqual(read(mexcTrades(), onSpot('deals', { publicAggreDeals: { deals: [] } })), []);
  assert.deepEqual(read(mexcTrades(), onSpot('deals', { publicAggreDeals: {} })), []);
  assert.deepEqual(read(mexcTrades(), onSpot('deals', {})), []);
  assert.deepEqual(read(mexcTrades(), { id: 0, code: 0, msg: 'spot@public…' }), []);
  assert.deepEqual(mexcTrades().filters(['btcusdt']), [
    { channel: 'spot@public.aggre.deals.v3.api.pb@10ms', symbols: ['BTCUSDT'] },
  ]);
  for (const publicAggreDeals of [null, 5, { deals: [{ price: 'x', quantity: '1' }] }]) {
    assert.throws(() => read(mexcTrades(), onSpot('deals', { publicAggreDeals })), UnknownFormError);
  }
});

test("MEXC's best prices may lack a side", () => {
  const publicAggreBookTicker = { bidPrice: '100', bidQuantity: '4', askPrice: '', askQuantity: '' };
  assert.deepEqual(read(mexcBookTickers(), onSpot('bookTicker', { publicAggreBookTicker })), [
    { type: 'book_ticker', symbol: 'BTCUSDT', bidPrice: 100, bidAmount: 4, ...AT_MS },
  ]);
});

const change = (fromVersion: number, toVersion: number, sides: object): object =>
  onSpot('depth', {
    publicAggreDepths: { fromVersion: String(fromVersion), toVersion: String(toVersion), ...sides },
  });
const snapshot = (lastUpdateId: number): object =>
  onSpot('depth.snapshot', {
    generated: true,
    publicAggreDepthsSnapshot: {
      ...{ asks: [['101', '1.2']], bids: [['99.8', '2']], lastUpdateId, timestamp: ms },
    },
  });

test("MEXC's snapshot contains the changes before it, and missing sides are empty", () => {
  const records = normalizeMessages(
    [mexcBooks(false)],
    atOnce([
      change(100, 100, { bids: [{ price: '1', quantity: '1' }] }),
      change(101, 103, { asks: [{ price: '101.0', quantity: '0' }], bids: [] }),
      snapshot(100),
      snapshot(104),
      change(103, 103, { bids: [{ price: '1', quantity: '1' }] }),
      change(104, 104, { bids: [{ price: '99.8' }] }),
    ]),
  );
  const common = { type: 'book_change', symbol: 'BTCUSDT', ...AT_MS };
  assert.deepEqual(records, [
    { ...common, isSnapshot: true, bids: [{ price: 99.8, amount: 2 }], asks: [] },
    { ...common, isSnapshot: false, bids: [{ price: 99.8, amount: 0 }], asks: [] },
  ]);
  assert.throws(
    () => read(mexcBooks(false), onSpot('depth', { publicAggreDepths: { fromVersion: '', toVersion: '' } })),
    UnknownFormError,
  );
});

test("A gap in MEXC's book is an error in a live stream, and is passed over in recorded messages", () => {
  const level = { bids: [{ price: '5', quantity: '1' }] };
  for (const [messages, end] of [
    [[snapshot(100), change(102, 105, level)], 'updates 102 to 105 came after the snapshot of update 100'],
    [[change(102, 102, level), snapshot(100)], 'update 102 came after the snapshot of update 100'],
    [[snapshot(100), change(101, 101, level), change(103, 103, level)], 'update 103 came after update 101'],
  ] as const) {
    assert.throws(() => normalizeMessages([mexcBooks(true)], atOnce(messages)), {
      code: 'corrupt',
      message: `mexc: the book of BTCUSDT lacks updates: ${end}`,
    });
    assert.ok(normalizeMessages([mexcBooks(false)], atOnce(messages)).length > 0);
  }
});

test('at most 2000 changes of a book wait for its snapshot', () => {
  const price = (version: number): string => String(1000 + version);
  const changes = Array.from({ length: 2005 }, (_, i) =>
    change(i, i, { bids: [{ price: price(i), quantity: '1' }] }),
  );
  const [record] = normalizeMessages([mexcBooks(false)], atOnce([...changes, snapshot(-1)])) as {
    readonly bids: readonly { readonly price: number }[];
  }[];
  const prices = record?.bids.map((level) => level.price) ?? [];
  assert.deepEqual([prices.length, prices[1], prices.at(-1)], [2001, 1005, 3004]);
});

const onFutures = (channel: string, data: unknown): object => ({
  channel,
  data,
  symbol: 'BTC_USDT',
  ts: ms,
});

test("MEXC's futures: trades in a list or alone", () => {
  const deal = { p: 115309.8, v: 55, T: 2, O: 3, M: 1, t: ms, i: '13064218826' };
  const expected = { type: 'trade', symbol: 'BTC_USDT', price: 115309.8, amount: 55, ...AT_MS };
  assert.deepEqual(read(mexcFuturesTrades(), onFutures('push.deal', [deal, { ...deal, T: 1, i: 7 }])), [
    { ...expected, id: '13064218826', side: 'sell' },
    { ...expected, id: '7', side: 'buy' },
  ]);
  assert.deepEqual(read(mexcFuturesTrades(), onFutures('push.deal', { ...deal, p: '115309.8' })), [
    { ...expected, id: '13064218826', side: 'sell' },
  ]);
  assert.deepEqual(read(mexcFuturesTrades(), onFutures('push.deal', [])), []);
  assert.deepEqual(read(mexcFuturesTrades(), { channel: 'rs.sub.deal', data: 'success' }), []);
  assert.deepEqual(read(mexcFuturesTrades(), { channel: 'pong', data: ms }), []);
});

test("MEXC's futures: changes of one version and of several", () => {
  const sides = { asks: [[6859.5, 3251, 1]], bids: [[6858.5, 42, 7]] };
  const records = normalizeMessages(
    [mexcFuturesBooks(true)],
    atOnce([
      onFutures('push.depth', { ...sides, version: 10 }),
      onFutures('push.depth.snapshot', { asks: [[6859.5, 1, 1]], bids: [], version: 9, timestamp: ms }),
      onFutures('push.depth', { ...sides, begin: 11, end: 13, version: 13 }),
      onFutures('push.depth', { asks: null, bids: [[6858.5, 0, 0]], begin: 0, end: null, version: 14 }),
    ]),
  );
  const common = { type: 'book_change', symbol: 'BTC_USDT', ...AT_MS };
  const levels = { bids: [{ price: 6858.5, amount: 42 }], asks: [{ price: 6859.5, amount: 3251 }] };
  assert.deepEqual(records, [
    { ...common, isSnapshot: true, ...levels },
    { ...common, isSnapshot: false, ...levels },
    { ...common, isSnapshot: false, bids: [{ price: 6858.5, amount: 0 }], asks: [] },
  ]);
  const live = mexcFuturesBooks(true);
  read(live, onFutures('push.depth.snapshot', { ...sides, version: 9, timestamp: ms }));
  assert.throws(() => read(live, onFutures('push.depth', { ...sides, begin: 12, end: 13, version: 13 })), {
    message:
      'mexc-futures: the book of BTC_USDT lacks updates: updates 12 to 13 came after the snapshot of update 9',
  });
  assert.throws(() => read(live, onFutures('push.depth', {})), UnknownFormError);
});

test("MEXC's futures: funding appears with the next ticker", () => {
  const ticker = { lastPrice: 6865.5, holdVol: 7, indexPrice: 6861.6, fairPrice: 6867.4, timestamp: ms };
  const records = normalizeMessages(
    [mexcFuturesDerivativeTickers()],
    atOnce([
      onFutures('push.ticker', { ...ticker, fundingRate: 0.5 }),
      onFutures('push.ticker', ticker),
      onFutures('push.funding.rate', { rate: 0.0012, nextSettleTime: ms }),
      onFutures('push.ticker', ticker),
      onFutures('push.funding.rate', { rate: 0.0013 }),
      onFutures('push.funding.rate', { rate: 0.0013 }),
      onFutures('push.ticker', { ...ticker, holdVol: '8' }),
    ]),
  );
  const first = {
    ...{ type: 'derivative_ticker', symbol: 'BTC_USDT', lastPrice: 6865.5, openInterest: 7, ...AT_MS },
    ...{ indexPrice: 6861.6, markPrice: 6867.4 },
  };
  const funded = { ...first, fundingRate: 0.0012, fundingTimestamp: TIME };
  assert.deepEqual(records, [first, funded, { ...funded, fundingRate: 0.0013, openInterest: 8 }]);
});

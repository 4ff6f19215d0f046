import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  binanceOptionsBooks,
  binanceOptionsBookTickers,
  binanceOptionsSummaries,
  binanceOptionsTrades,
} from '../../../src/exchange-adapters/own/binance-options-normalizers.js';
import { AT_LOCAL, AT_MS, MS, read } from './messages.js';

const SYMBOL = 'BTC-251219-89000-C';

test('trades of European options: the side is that of the taker', () => {
  const trade = (m: boolean): object => ({
    stream: 'btc-251219-89000-c@optionTrade',
    data: { e: 'trade', s: SYMBOL, t: 200, p: '1420.000', q: '1.54', T: Number(MS), m },
  });
  const trades = binanceOptionsTrades();
  const common = { type: 'trade', symbol: SYMBOL, id: '200', price: 1420, amount: 1.54 };
  assert.deepEqual(read(trades, trade(false)), [{ ...common, side: 'buy', ...AT_MS }]);
  assert.deepEqual(read(trades, trade(true)), [{ ...common, side: 'sell', ...AT_MS }]);
  assert.deepEqual(read(trades, { result: null, id: 1 }), []);
  assert.deepEqual(trades.filters([SYMBOL]), [{ channel: 'optionTrade', symbols: [SYMBOL.toLowerCase()] }]);
});

test('each book of European options is a snapshot, also one without levels or time', () => {
  const book = (a: unknown, T?: number): object => ({
    stream: 'btc-251219-89000-c@depth20@100ms',
    data: { e: 'depthUpdate', s: SYMBOL, b: [['16.6', '150.23']], a, T },
  });
  const common = {
    type: 'book_change',
    symbol: SYMBOL,
    isSnapshot: true,
    bids: [{ price: 16.6, amount: 150.23 }],
  };
  assert.deepEqual(read(binanceOptionsBooks(), book([], Number(MS))), [{ ...common, asks: [], ...AT_MS }]);
  assert.deepEqual(read(binanceOptionsBooks(), book(undefined)), [{ ...common, asks: [], ...AT_LOCAL }]);
});

test('a side of a book ticker of European options is absent if it is 0', () => {
  const ticker = {
    stream: 'btc-251219-89000-c@bookTicker',
    data: { s: SYMBOL, b: '5.8', B: '38.47', a: '0.0000', A: '0.00', T: Number(MS) },
  };
  assert.deepEqual(read(binanceOptionsBookTickers(), ticker), [
    { type: 'book_ticker', symbol: SYMBOL, bidPrice: 5.8, bidAmount: 38.47, ...AT_MS },
  ]);
});

test('summaries of European options add the last price and the open interest of other channels', () => {
  const summaries = binanceOptionsSummaries();
  const mark = (item: object): object => ({
    stream: 'btcusdt@optionMarkPrice',
    data: [{ e: 'markPrice', E: Number(MS), s: SYMBOL, ...item }],
  });
  const common = {
    type: 'option_summary',
    symbol: SYMBOL,
    optionType: 'call',
    strikePrice: 89000,
    expirationDate: Date.parse('2025-12-19T08:00Z') * 1000,
    underlyingIndex: 'BTCUSDT',
    ...AT_MS,
  };
  assert.deepEqual(read(summaries, mark({ bo: '0.0', b: '0.85', ao: '1460.0', a: '-1.0', bq: '5.00' })), [
    { ...common, bestBidAmount: 5, bestAskPrice: 1460 },
  ]);
  const ticker = (c: string): object => ({
    stream: `${SYMBOL.toLowerCase()}@optionTicker`,
    data: { s: SYMBOL, c },
  });
  const interest = (o: string): object => ({
    stream: 'btcusdt@optionOpenInterest@251219',
    data: [{ s: SYMBOL, o }],
  });
  for (const message of [ticker('1420.000'), ticker('0.000'), interest('0'), interest('x')]) {
    assert.deepEqual(read(summaries, message), []);
  }
  assert.deepEqual(read(summaries, mark({ d: '0.75' })), [
    { ...common, lastPrice: 1420, openInterest: 0, delta: 0.75 },
  ]);
  assert.throws(() => read(summaries, mark({ s: 'BTC-PERP' })), TypeError);
  assert.deepEqual(summaries.filters([SYMBOL, 'BTC-251219-90000-P']), [
    { channel: 'optionMarkPrice', symbols: ['btcusdt'] },
    { channel: 'optionTicker', symbols: ['btc-251219-89000-c', 'btc-251219-90000-p'] },
    { channel: 'optionOpenInterest', symbols: ['btcusdt'] },
  ]);
});

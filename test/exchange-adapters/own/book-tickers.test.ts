import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bitfinexBookTickers,
  cryptoComBookTickers,
} from '../../../src/exchange-adapters/own/book-tickers.js';
import { gateIoFuturesBookTickers } from '../../../src/exchange-adapters/own/gate-io-normalizers.js';
import { AT_LOCAL, AT_MS, MS, read } from './messages.js';

const ms = Number(MS);
const PAIR = [71800, 7.47, 71847, 6.16, 671, 0.009, 71840, 1393, 73198, 70493];
const VALUES = { askAmount: 6.16, askPrice: 71847, bidPrice: 71800, bidAmount: 7.47 };

test("Bitfinex's tickers of pairs have ten or eleven values, those of currencies more", () => {
  const record = { type: 'book_ticker', symbol: 'BTCUSD', ...VALUES, ...AT_MS };
  const ticker = (values: unknown, channel = 'ticker'): unknown[] => [1, values, 9, ms, channel, 'BTCUSD'];
  const tickers = bitfinexBookTickers();
  assert.deepEqual(read(tickers, ticker(PAIR)), [record]);
  assert.deepEqual(read(tickers, ticker([...PAIR, null])), [record]);
  assert.deepEqual(read(tickers, ticker([...PAIR, 1, 2])), []);
  assert.deepEqual(read(tickers, ticker('hb')), []);
  assert.deepEqual(read(tickers, ticker(PAIR, 'book')), []);
  assert.throws(() => read(tickers, ticker({ bid: 1 })), TypeError);
});

test("Bitfinex's tickers without a pair have that of the subscription", () => {
  const tickers = bitfinexBookTickers();
  const subscribed = { event: 'subscribed', channel: 'ticker', chanId: 7, symbol: 'tBTCUSD', pair: 'BTCUSD' };
  assert.deepEqual(read(tickers, [7, PAIR, 9, ms]), []);
  assert.deepEqual(read(tickers, subscribed), []);
  assert.deepEqual(read(tickers, { ...subscribed, chanId: 8, pair: undefined, symbol: 'fBTC' }), []);
  assert.deepEqual(read(tickers, [7, PAIR, 9, ms]), [
    { type: 'book_ticker', symbol: 'BTCUSD', ...VALUES, ...AT_MS },
  ]);
  assert.deepEqual(read(tickers, [8, PAIR, 9, ms]), []);
});

test("Crypto.com's tickers have numbers or text, and amounts if the exchange sends them", () => {
  const ticker = (item: object): object => ({
    method: 'subscribe',
    result: { channel: 'ticker', instrument_name: 'BTCUSD-PERP', data: [{ t: ms, ...item }] },
  });
  const record = { type: 'book_ticker', symbol: 'BTCUSD-PERP', ...AT_MS };
  const tickers = cryptoComBookTickers();
  assert.deepEqual(read(tickers, ticker({ b: 1, k: 2 })), [{ ...record, askPrice: 2, bidPrice: 1 }]);
  assert.deepEqual(read(tickers, ticker({ b: '1', bs: '0', k: null, ks: null })), [
    { ...record, bidPrice: 1, bidAmount: 0 },
  ]);
  assert.deepEqual(read(tickers, { result: { channel: 'ticker', data: [] } }), []);
  assert.deepEqual(read(tickers, { id: 1, code: 0, method: 'subscribe' }), []);
});

test("a side of Gate.io's futures without orders is absent", () => {
  const ticker = (result: object): object => ({
    channel: 'futures.book_ticker',
    event: 'update',
    result: { t: ms, s: 'BTC_USDT', b: '1', B: 3, a: '2', A: '4', ...result },
  });
  const tickers = gateIoFuturesBookTickers();
  const both = { askAmount: 4, askPrice: 2, bidPrice: 1, bidAmount: 3 };
  const record = { type: 'book_ticker', symbol: 'BTC_USDT' };
  assert.deepEqual(read(tickers, ticker({})), [{ ...record, ...both, ...AT_MS }]);
  assert.deepEqual(read(tickers, ticker({ b: '', B: '0', t: undefined })), [
    { ...record, askAmount: 4, askPrice: 2, ...AT_LOCAL },
  ]);
  assert.deepEqual(read(tickers, ticker({ t: 0 })), []);
  assert.deepEqual(read(tickers, { ...ticker({}), event: 'subscribe' }), []);
});

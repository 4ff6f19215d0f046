import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bitgetBooks,
  bitgetBookTickers,
  bitgetDerivativeTickers,
  bitgetLiquidations,
  bitgetTrades,
} from '../../../src/exchange-adapters/own/bitget-normalizers.js';
import { normalizeMessages } from '../records-of.js';
import { AT_MS, LOCAL, MS, read, TIME } from './messages.js';

test("Bitget's v3: trades, books, best prices, liquidations", () => {
  const message = (topic: string, action: string, data: object): object => ({
    action,
    arg: { instType: 'usdt-futures', topic, symbol: 'BTCUSDT' },
    data: [data],
    ts: Number(MS) + 2,
  });
  const trade = { i: '1432912488536195072', p: '76671.22', v: '0.001', S: 'sell', T: MS, L: '1' };
  assert.deepEqual(read(bitgetTrades(), message('publicTrade', 'update', trade)), [
    {
      type: 'trade',
      symbol: 'BTCUSDT',
      id: '1432912488536195072',
      price: 76671.22,
      amount: 0.001,
      side: 'sell',
      ...AT_MS,
    },
  ]);
  assert.deepEqual(read(bitgetTrades(), message('publicTrade', 'snapshot', trade)), []);
  assert.deepEqual(read(bitgetTrades(), { event: 'subscribe', arg: { topic: 'publicTrade' } }), []);

  const book = { a: [['76794.01', '1.05']], b: [['76793', '0']], checksum: 0, seq: 2, pseq: 1, ts: MS };
  const levels = { bids: [{ price: 76793, amount: 0 }], asks: [{ price: 76794.01, amount: 1.05 }] };
  for (const isSnapshot of [true, false]) {
    assert.deepEqual(read(bitgetBooks(), message('books', isSnapshot ? 'snapshot' : 'update', book)), [
      { type: 'book_change', symbol: 'BTCUSDT', isSnapshot, ...levels, ...AT_MS },
    ]);
  }
  const best = { a: [['76671.23', '0.4']], b: [], ts: MS };
  assert.deepEqual(read(bitgetBookTickers(), message('books1', 'snapshot', best)), [
    { type: 'book_ticker', symbol: 'BTCUSDT', askAmount: 0.4, askPrice: 76671.23, ...AT_MS },
  ]);
  const liquidation = {
    action: 'update',
    arg: { instType: 'usdt-futures', topic: 'liquidation' },
    data: [{ symbol: 'APEUSDT', side: 'buy', price: '0.1649', amount: '13.7', ts: MS }],
    ts: Number(MS) + 9,
  };
  assert.deepEqual(read(bitgetLiquidations(), liquidation), [
    { type: 'liquidation', symbol: 'APEUSDT', price: 0.1649, amount: 13.7, side: 'sell', ...AT_MS },
  ]);
  assert.deepEqual(bitgetLiquidations().filters(['APEUSDT']), [{ channel: 'liquidation' }]);
});

test("Bitget's v3 tickers are emitted if a value changes, with all last values and a time that never goes back", () => {
  const ticker = (values: object, ms = Number(MS)): unknown => ({
    message: {
      action: 'snapshot',
      arg: { instType: 'usdt-futures', topic: 'ticker', symbol: 'BTCUSDT' },
      data: [{ lastPrice: '100.5', indexPrice: '100.25', markPrice: '100', openInterest: '7', ...values }],
      ts: ms,
    },
    localTimestamp: LOCAL,
  });
  const funding = { fundingRate: '-0.00003', nextFundingTime: '1785772800000' };
  const messages = [
    ticker({ nextFundingTime: '', fundingRate: '' }),
    ticker({ nextFundingTime: '0' }),
    ticker(funding, Number(MS) - 50),
    ticker({ ...funding, lastPrice: '101' }, Number(MS) + 50),
  ] as { message: unknown; localTimestamp: number }[];
  const first = {
    type: 'derivative_ticker',
    symbol: 'BTCUSDT',
    lastPrice: 100.5,
    openInterest: 7,
    indexPrice: 100.25,
    markPrice: 100,
    ...AT_MS,
  };
  const funded = { ...first, fundingRate: -0.00003, fundingTimestamp: 1785772800000 * 1000 };
  assert.deepEqual(normalizeMessages([bitgetDerivativeTickers()], messages), [
    first,
    funded,
    { ...funded, lastPrice: 101, timestamp: TIME + 50_000 },
  ]);
});

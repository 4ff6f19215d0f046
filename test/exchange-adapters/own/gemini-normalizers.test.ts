import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  geminiBooks,
  geminiBookTickers,
  geminiTrades,
} from '../../../src/exchange-adapters/own/gemini-normalizers.js';
import { AT_LOCAL, LOCAL, read } from './messages.js';

/** Nanoseconds, as JSON has them. */
const E = 1783981140085684200;
const AT = { timestamp: 1783981140085684, micros: true, localTimestamp: LOCAL };

test("Gemini's trades have a symbol in upper case, and microseconds", () => {
  const trade = (m: boolean, time: unknown = E): object => ({
    E: time,
    s: 'btcusd',
    t: 2840141014190422,
    p: '62145.38000',
    q: '0.01625',
    m,
  });
  const common = {
    type: 'trade',
    symbol: 'BTCUSD',
    id: '2840141014190422',
    price: 62145.38,
    amount: 0.01625,
  };
  assert.deepEqual(read(geminiTrades(), trade(true)), [{ ...common, side: 'sell', ...AT }]);
  assert.deepEqual(read(geminiTrades(), trade(false, 1784870400000)), [
    { ...common, side: 'buy', ...AT_LOCAL },
  ]);
  for (const other of [
    { id: 1, status: 200 },
    { u: 1, E, s: 'btcusd' },
    { e: 'contractStatus', E, s: 'a' },
  ]) {
    for (const normalizer of [geminiTrades(), geminiBooks(), geminiBookTickers()]) {
      assert.deepEqual(read(normalizer, other), []);
    }
  }
});

test("the first change of a Gemini symbol's book is its snapshot", () => {
  const books = geminiBooks();
  const change = (s: string): object => ({ e: 'depthUpdate', E, s, U: 1, u: 2, b: [['0.1', '0.0']], a: [] });
  const snapshots = ['btcusd', 'btcusd', 'ethusd'].flatMap((symbol) => read(books, change(symbol)));
  const common = { type: 'book_change', bids: [{ price: 0.1, amount: 0 }], asks: [], ...AT };
  assert.deepEqual(snapshots, [
    { ...common, symbol: 'BTCUSD', isSnapshot: true },
    { ...common, symbol: 'BTCUSD', isSnapshot: false },
    { ...common, symbol: 'ETHUSD', isSnapshot: true },
  ]);
  assert.deepEqual(books.filters(['btcusd']), [{ channel: 'depth', symbols: ['BTCUSD'] }]);
});

test("an empty side of Gemini's book ticker is absent", () => {
  assert.deepEqual(
    read(geminiBookTickers(), { u: 1, E, s: 'ethusd', b: '1.06149', B: '958.69', a: '0', A: '' }),
    [{ type: 'book_ticker', symbol: 'ETHUSD', bidAmount: 958.69, bidPrice: 1.06149, ...AT }],
  );
});

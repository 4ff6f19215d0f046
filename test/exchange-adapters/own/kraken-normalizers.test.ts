import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  krakenBooks,
  krakenBookTickers,
  krakenTrades,
} from '../../../src/exchange-adapters/own/kraken-normalizers.js';
import { AT_LOCAL, LOCAL, read, TIME } from './messages.js';

test("Kraken's v2: keeps microseconds and the case of symbols", () => {
  const stamp = { timestamp: TIME + 456, micros: true, localTimestamp: LOCAL };
  const timestamp = '2026-08-03T10:00:00.125456Z';
  const trade = {
    symbol: 'MATIC/USD',
    side: 'sell',
    price: 0.5117,
    qty: 40,
    ord_type: 'market',
    trade_id: 4665906,
    timestamp,
  };
  assert.deepEqual(
    read(krakenTrades(), { channel: 'trade', type: 'update', data: [trade, { ...trade, side: 'buy' }] }),
    [
      {
        type: 'trade',
        symbol: 'MATIC/USD',
        id: '4665906',
        price: 0.5117,
        amount: 40,
        side: 'sell',
        ...stamp,
      },
      { type: 'trade', symbol: 'MATIC/USD', id: '4665906', price: 0.5117, amount: 40, side: 'buy', ...stamp },
    ],
  );
  assert.deepEqual(read(krakenTrades(), { channel: 'trade', type: 'snapshot', data: [trade] }), []);
  assert.deepEqual(
    read(krakenTrades(), { channel: 'status', type: 'update', data: [{ system: 'online' }] }),
    [],
  );

  const book = {
    symbol: 'AAPLx/USD',
    bids: [{ price: 0.5666, qty: 4831.75496356 }],
    asks: [{ price: 0.5668, qty: 0 }],
    checksum: 1,
  };
  const change = {
    type: 'book_change',
    symbol: 'AAPLx/USD',
    bids: [{ price: 0.5666, amount: 4831.75496356 }],
    asks: [{ price: 0.5668, amount: 0 }],
  };
  assert.deepEqual(read(krakenBooks(), { channel: 'book', type: 'update', data: [{ ...book, timestamp }] }), [
    { ...change, isSnapshot: false, ...stamp },
  ]);
  assert.deepEqual(read(krakenBooks(), { channel: 'book', type: 'snapshot', data: [book] }), [
    { ...change, isSnapshot: true, ...AT_LOCAL },
  ]);

  const ticker = {
    symbol: 'ALGO/USD',
    bid: 0.10025,
    bid_qty: 740,
    ask: 0.10036,
    ask_qty: 1361.44813783,
    last: 0.10035,
    timestamp,
  };
  assert.deepEqual(read(krakenBookTickers(), { channel: 'ticker', type: 'update', data: [ticker] }), [
    {
      type: 'book_ticker',
      symbol: 'ALGO/USD',
      askAmount: 1361.44813783,
      askPrice: 0.10036,
      bidPrice: 0.10025,
      bidAmount: 740,
      ...stamp,
    },
  ]);
  const half = { ...ticker, bid: 0, bid_qty: 0 };
  assert.deepEqual(read(krakenBookTickers(), { channel: 'ticker', type: 'update', data: [half] }), [
    { type: 'book_ticker', symbol: 'ALGO/USD', askAmount: 1361.44813783, askPrice: 0.10036, ...stamp },
  ]);
  const never = { ...ticker, timestamp: '1970-01-01T00:00:00.000000Z' };
  assert.deepEqual(read(krakenBookTickers(), { channel: 'ticker', type: 'update', data: [never] }), []);
  assert.deepEqual(krakenBooks().filters(['AAPLx/USD']), [{ channel: 'book', symbols: ['AAPLx/USD'] }]);
});

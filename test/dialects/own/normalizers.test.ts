import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Normalizer } from '../../../src/dialects/normalizer.js';
import {
  bitgetBooks,
  bitgetBookTickers,
  bitgetDerivativeTickers,
  bitgetLiquidations,
  bitgetTrades,
} from '../../../src/dialects/own/bitget.js';
import { gateIoBooks } from '../../../src/dialects/own/gate-io-books.js';
import { hyperliquidBooks } from '../../../src/dialects/own/hyperliquid-books.js';
import { krakenBooks, krakenBookTickers, krakenTrades } from '../../../src/dialects/own/kraken.js';
import { okxBooks } from '../../../src/dialects/own/okx-books.js';
import { recordsOf } from '../records-of.js';

const LOCAL = Date.parse('2026-08-03T10:00:00.500Z') * 1000 + 123;
const TIME = Date.parse('2026-08-03T10:00:00.125Z') * 1000;
const MS = String(TIME / 1000);
const AT_MS = { timestamp: TIME, micros: false, localTimestamp: LOCAL };
const AT_LOCAL = { timestamp: LOCAL, micros: true, localTimestamp: LOCAL };

/** What one message comes to. */
function read(normalizer: Normalizer, message: unknown): readonly object[] {
  return recordsOf([normalizer], [{ message, localTimestamp: LOCAL }]);
}

test("OKX's public books: a snapshot, changes, nothing of what says nothing", () => {
  const message = (action: string, bids: unknown, asks: unknown, ts = MS): object => ({
    arg: { channel: 'books', instId: 'BTC-USDT' },
    action,
    data: [{ asks, bids, ts, checksum: -855196043, prevSeqId: -1, seqId: 123456 }],
  });
  const books = okxBooks();
  const snapshot = message('snapshot', [['8476.97', '256', '0', '12']], [['8476.98', '415', '0', '13']]);
  assert.deepEqual(read(books, snapshot), [
    {
      type: 'book_change',
      symbol: 'BTC-USDT',
      isSnapshot: true,
      bids: [{ price: 8476.97, amount: 256 }],
      asks: [{ price: 8476.98, amount: 415 }],
      ...AT_MS,
    },
  ]);
  assert.deepEqual(read(books, message('update', [], [['8477', '0', '0', '0']])), [
    {
      type: 'book_change',
      symbol: 'BTC-USDT',
      isSnapshot: false,
      bids: [],
      asks: [{ price: 8477, amount: 0 }],
      ...AT_MS,
    },
  ]);
  assert.equal(read(books, message('snapshot', [], [])).length, 1);
  assert.deepEqual(read(books, message('update', [], [])), []);
  assert.deepEqual(read(books, message('snapshot', [], [], '0')), []);
  assert.deepEqual(read(books, { event: 'subscribe', arg: { channel: 'books', instId: 'BTC-USDT' } }), []);
  assert.deepEqual(books.filters(['btc-usdt']), [{ channel: 'books', symbols: ['BTC-USDT'] }]);
  assert.deepEqual(books.filters(undefined), [{ channel: 'books' }]);
});

test("Gate.io's order book V2: the stream's name has the pair", () => {
  const message = (result: object): object => ({
    channel: 'spot.obu',
    result: { t: Number(MS), s: 'ob.BTC_USDT.400', u: 73777715168, ...result },
    time_ms: Number(MS) + 3,
    event: 'update',
  });
  const books = gateIoBooks();
  assert.deepEqual(
    read(books, message({ full: true, b: [['104027.1', '509392']], a: [['104027.2', '44617']] })),
    [
      {
        type: 'book_change',
        symbol: 'BTC_USDT',
        isSnapshot: true,
        bids: [{ price: 104027.1, amount: 509392 }],
        asks: [{ price: 104027.2, amount: 44617 }],
        ...AT_MS,
      },
    ],
  );
  assert.deepEqual(read(books, message({ U: 73777715169, b: [['104027.1', '0']] })), [
    {
      type: 'book_change',
      symbol: 'BTC_USDT',
      isSnapshot: false,
      bids: [{ price: 104027.1, amount: 0 }],
      asks: [],
      ...AT_MS,
    },
  ]);
  const subscribed = {
    channel: 'spot.obu',
    event: 'subscribe',
    payload: ['ob.BTC_USDT.400'],
    result: { status: 'success' },
  };
  assert.deepEqual(read(books, subscribed), []);
  assert.deepEqual(books.filters(['btc_usdt']), [{ channel: 'obu', symbols: ['BTC_USDT'] }]);
});

test("Hyperliquid's fast books are whole, and coins by the thousand have a small k", () => {
  const levels = [[{ px: '19900', sz: '1.5', n: 1 }], [{ px: '20100', sz: '2', n: 3 }]];
  const book = (channel: string, data: object): object => ({
    channel,
    data: { coin: 'kPEPE', time: Number(MS), levels, ...data },
  });
  const books = hyperliquidBooks();
  const expected = [
    {
      type: 'book_change',
      symbol: 'KPEPE',
      isSnapshot: true,
      bids: [{ price: 19900, amount: 1.5 }],
      asks: [{ price: 20100, amount: 2 }],
      ...AT_MS,
    },
  ];
  assert.deepEqual(read(books, book('fastBook', {})), expected);
  assert.deepEqual(read(books, book('l2Book', { fast: true })), expected);
  assert.deepEqual(read(books, book('l2Book', {})), []);
  assert.equal(read(books, book('fastBook', { levels: [[], []] })).length, 1);
  assert.deepEqual(books.filters(['kpepe', 'KPEPE', 'BTC', 'KAS']), [
    { channel: 'fastBook', symbols: ['kPEPE', 'kPEPE', 'BTC', 'KAS'] },
  ]);
});

test("Kraken's v2: times to the microsecond, symbols as they are", () => {
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

test("Bitget's v3 tickers come when a value changes, with all last values and a time that never goes back", () => {
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
  assert.deepEqual(recordsOf([bitgetDerivativeTickers()], messages), [
    first,
    funded,
    { ...funded, lastPrice: 101, timestamp: TIME + 50_000 },
  ]);
});

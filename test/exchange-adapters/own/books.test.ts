import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gateIoBooks, gateIoFuturesBooks } from '../../../src/exchange-adapters/own/gate-io-normalizers.js';
import { hyperliquidBooks } from '../../../src/exchange-adapters/own/hyperliquid-books.js';
import { okxBooks } from '../../../src/exchange-adapters/own/okx-normalizers.js';
import { AT_MS, MS, read } from './messages.js';

test("OKX's public books: a snapshot, changes, and no record for a heartbeat", () => {
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

test("Gate.io's order book V2: reads the pair from the stream's name", () => {
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

test("Hyperliquid's fast books are snapshots, and coins traded in thousands have a small k", () => {
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

test("the sign of a change in Gate.io's futures is its side, and a removed level has both", () => {
  const message = (event: string, result: unknown, more = {}): object => ({
    time: Math.floor(Number(MS) / 1000),
    channel: 'futures.order_book',
    event,
    result,
    ...more,
  });
  const books = gateIoFuturesBooks();
  const level = (p: string, s: number | string): object => ({ p, s, c: 'BTC_USDT', t: Number(MS) });
  const common = { type: 'book_change', symbol: 'BTC_USDT', ...AT_MS };
  assert.deepEqual(read(books, message('update', [level('1', '2'), level('3', -4), level('5', 0)])), [
    {
      ...common,
      isSnapshot: false,
      bids: [
        { price: 1, amount: 2 },
        { price: 5, amount: 0 },
      ],
      asks: [
        { price: 3, amount: 4 },
        { price: 5, amount: 0 },
      ],
    },
  ]);
  const whole = { contract: 'BTC_USDT', t: 1, bids: [{ p: '1', s: '0.25' }], asks: [] };
  assert.deepEqual(read(books, message('all', whole, { time_ms: Number(MS) })), [
    { ...common, isSnapshot: true, bids: [{ price: 1, amount: 0.25 }], asks: [] },
  ]);
  assert.deepEqual(read(books, message('all', { ...whole, t: 0 })), []);
  assert.deepEqual(read(books, message('update', [])), []);
});

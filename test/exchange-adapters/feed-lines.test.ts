import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bitmexTrade, type Event, linesOf } from './feed-lines-of.js';

test('a line has its keys in order, numbers in shortest form, and local times to the microsecond', async () => {
  const message = bitmexTrade(8532.5, '2019-06-01T00:03:02.100Z');
  assert.deepEqual(
    await linesOf({ exchange: 'bitmex', types: 'trade' }, [['2019-06-01T00:03:03.1238784Z', message]]),
    [
      '{"type":"trade","symbol":"XBTUSD","exchange":"bitmex","id":"a\\"1","price":8532.5,"amount":1e-7,"side":"sell",' +
        '"timestamp":"2019-06-01T00:03:02.100Z","localTimestamp":"2019-06-01T00:03:03.123878Z"}',
    ],
  );
});

test("keeps an exchange's microseconds, and its key order of book tickers", async () => {
  const match = {
    type: 'match',
    trade_id: 7,
    side: 'sell',
    size: '0.10',
    price: '60000.00',
    product_id: 'BTC-USD',
    time: '2024-03-01T00:00:00.000450Z',
  };
  assert.deepEqual(
    await linesOf({ exchange: 'coinbase', types: 'trade' }, [['2024-03-01T00:00:01.0000001Z', match]]),
    [
      '{"type":"trade","symbol":"BTC-USD","exchange":"coinbase","id":"7","price":60000,"amount":0.1,"side":"buy",' +
        '"timestamp":"2024-03-01T00:00:00.000450Z","localTimestamp":"2024-03-01T00:00:01.000000Z"}',
    ],
  );
  const bbo = {
    channel: 'bbo',
    data: { coin: 'BTC', time: 1709251200000, bbo: [{ px: '1', sz: '2', n: 1 }, null] },
  };
  assert.deepEqual(
    await linesOf({ exchange: 'hyperliquid', types: 'book_ticker' }, [['2024-03-01T00:00:01.0000001Z', bbo]]),
    [
      '{"type":"book_ticker","symbol":"BTC","exchange":"hyperliquid","bidPrice":1,"bidAmount":2,' +
        '"timestamp":"2024-03-01T00:00:00.000Z","localTimestamp":"2024-03-01T00:00:01.000000Z"}',
    ],
  );
});

test('a derivative ticker has its times and the keys that are known', async () => {
  const row = {
    symbol: 'XBTUSD',
    state: 'Open',
    fundingRate: 0.0001,
    fundingTimestamp: '2019-06-01T04:00:00.000Z',
    markPrice: 8530.25,
    timestamp: '2019-06-01T00:00:00.000Z',
  };
  const message = { table: 'instrument', action: 'partial', data: [row] };
  assert.deepEqual(
    await linesOf({ exchange: 'bitmex', types: 'derivative_ticker' }, [
      ['2019-06-01T00:00:00.5000000Z', message],
    ]),
    [
      '{"type":"derivative_ticker","symbol":"XBTUSD","exchange":"bitmex","fundingRate":0.0001,' +
        '"fundingTimestamp":"2019-06-01T04:00:00.000Z","markPrice":8530.25,' +
        '"timestamp":"2019-06-01T00:00:00.000Z","localTimestamp":"2019-06-01T00:00:00.500000Z"}',
    ],
  );
});

test('accepts symbols in any case, and skips other symbols', async () => {
  const events: readonly Event[] = [
    ['2024-03-01T00:00:00.0000000Z', bitmexTrade(1, '2024-03-01T00:00:00.000Z')],
    ['2024-03-01T00:00:01.0000000Z', bitmexTrade(2, '2024-03-01T00:00:00.000Z', 'ETHUSD')],
  ];
  for (const symbols of [['ethusd'], ['ethUSD'], ['ETHUSD']]) {
    const lines = await linesOf({ exchange: 'bitmex', types: 'trade', symbols }, events);
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).price),
      [2],
    );
  }
  assert.equal((await linesOf({ exchange: 'bitmex', types: 'trade', symbols: [] }, events)).length, 2);
});

test('switches normalizers at the midnight of an API change', async () => {
  const old = {
    arg: { channel: 'books-l2-tbt', instId: 'BTC-USDT' },
    action: 'snapshot',
    data: [{ asks: [], bids: [['1', '2', '0', '1']], ts: '1779321599000' }],
  };
  const now = { ...old, arg: { channel: 'books', instId: 'BTC-USDT' } };
  const lines = await linesOf({ exchange: 'okex', types: 'book_change' }, [
    ['2026-05-20T23:59:59.9999999Z', old],
    ['2026-05-20T23:59:59.9999999Z', now],
    ['2026-05-21T00:00:00.0000000Z', old],
    ['2026-05-21T00:00:00.0000000Z', now],
  ]);
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).localTimestamp),
    ['2026-05-20T23:59:59.999999Z', '2026-05-21T00:00:00.000000Z'],
  );
});

test('keeps ids above 2^53 exactly', async () => {
  const id = '12345678901234567890123';
  const data = `[{"amount":2,"ts":1709251200000,"id":${id},"price":60000.5,"direction":"buy"}]`;
  const message = `{"ch":"market.BTC_CQ.trade.detail","ts":1709251200001,"tick":{"id":1,"ts":1,"data":${data}}}`;
  const lines = await linesOf({ exchange: 'huobi-dm', types: 'trade' }, [
    ['2024-03-01T00:00:00.0000000Z', message],
    // A number with decimals is not a large integer.
    ['2024-03-01T00:00:01.0000000Z', message.replace('"id":1,', '"id":1.5e3,')],
  ]);
  assert.equal(lines.length, 2);
  for (const line of lines) assert.equal(JSON.parse(line).id, id);
});

test('an error for invalid JSON, or for a message that a normalizer rejects, names its time', async () => {
  const feed = { exchange: 'bitmex', types: 'trade' };
  await assert.rejects(linesOf(feed, [['2024-03-01T00:00:00.0000000Z', '{"table":']]), {
    code: 'corrupt',
    message: 'bitmex: feed message is not valid JSON: {"table":',
  });
  const broken = { table: 'trade', action: 'insert' };
  await assert.rejects(linesOf(feed, [['2024-03-01T00:00:00.0000000Z', broken]]), {
    code: 'corrupt',
    message:
      /^bitmex: the message of 2024-03-01T00:00:00.0000000Z cannot be normalized \(.*\); use --channel for the original messages$/,
  });
});

test("a level that a change removes before Binance's snapshot arrives is not in the snapshot", async () => {
  const update = { e: 'depthUpdate', E: 1, s: 'BTCUSDT', U: 101, u: 105, b: [['10', '0']], a: [['12', '3']] };
  const snapshot = {
    lastUpdateId: 100,
    bids: [
      ['10', '2'],
      ['9', '1'],
    ],
    asks: [['11', '1']],
  };
  const [line = '', ...rest] = await linesOf({ exchange: 'binance', types: 'book_change' }, [
    ['2026-08-01T00:00:01.0000000Z', { stream: 'btcusdt@depth@100ms', data: update }],
    ['2026-08-01T00:00:02.0000000Z', { stream: 'btcusdt@depthSnapshot', generated: true, data: snapshot }],
  ]);
  assert.deepEqual(rest, []);
  const { isSnapshot, bids, asks } = JSON.parse(line);
  assert.deepEqual([isSnapshot, bids, asks.length], [true, [{ price: 9, amount: 1 }], 2]);
});

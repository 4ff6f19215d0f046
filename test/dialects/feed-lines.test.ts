import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FeedLines } from '../../src/dialects/feed-lines.js';
import { planFeed } from '../../src/dialects/feed-plan.js';
import { LineBuffer } from '../../src/market/lines/line-buffer.js';
import { parseDataTypeName } from '../../src/market/names/data-type-name.js';

/** A local timestamp with the message, or a disconnect. */
type Event = readonly [localTimestamp: string, message: unknown] | 'disconnect';

interface Feed {
  readonly exchange: string;
  readonly types: string;
  readonly symbols?: readonly string[];
  readonly withDisconnects?: boolean;
  readonly from?: string;
}

/** The lines of a feed of a few days from the first message on; a message may be JSON already. */
async function linesOf(feed: Feed, events: readonly Event[]): Promise<readonly string[]> {
  const { exchange, symbols, withDisconnects = false } = feed;
  const types = feed.types.split(',').map(parseDataTypeName);
  const first = events.find((event) => event !== 'disconnect')?.[0] ?? '2024-03-01T00:00:00.0000000Z';
  const start = Date.parse(`${(feed.from ?? first).slice(0, 16)}Z`) * 1000;
  const period = { start, end: start + 3 * 86_400_000_000 };
  const plan = await planFeed({ exchange, types, symbols, period });
  const lines = new FeedLines({ exchange, types, symbols, withDisconnects, plan });
  const out = new LineBuffer(1);
  for (const event of events) {
    if (event === 'disconnect') lines.disconnect(out);
    else {
      const text = typeof event[1] === 'string' ? event[1] : JSON.stringify(event[1]);
      lines.message(event[0], text, out);
    }
  }
  return Buffer.from(out.bytes.subarray(0, out.length)).toString().split('\n').slice(0, -1);
}

const bitmexTrade = (price: number, timestamp: string, symbol = 'XBTUSD'): object => ({
  table: 'trade',
  action: 'insert',
  data: [{ timestamp, symbol, side: 'Sell', size: 1e-7, price, trdMatchID: 'a"1' }],
});

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

test("an exchange's microseconds are kept, and its book tickers' order of keys", async () => {
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

test('symbols come in any case, and others are left out', async () => {
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

test('computed types follow what they are made of, by symbol, in the order asked for', async () => {
  const second = (n: number): string => `2024-03-01T00:00:0${n}.000Z`;
  const trade = (n: number, price: number): Event => [
    `2024-03-01T00:00:0${n}.0000000Z`,
    bitmexTrade(price, second(n)),
  ];
  const names = async (types: string): Promise<readonly string[]> =>
    (await linesOf({ exchange: 'bitmex', types }, [trade(0, 1), trade(1, 2), trade(2, 3)])).map((line) => {
      const { type, name, price } = JSON.parse(line);
      return name ?? `${type} ${price}`;
    });
  assert.deepEqual(await names('trade_bar_2ticks,trade,trade_bar_1s'), [
    ...['trade 1', 'trade 2', 'trade_bar_2ticks', 'trade_bar_1s', 'trade 3', 'trade_bar_1s'],
  ]);
  assert.deepEqual(await names('trade_bar_1s'), ['trade_bar_1s', 'trade_bar_1s']);
});

test('snapshots are made of book changes that are not asked for', async () => {
  const book = (action: string, data: object[]): object => ({ table: 'orderBookL2', action, data });
  const timestamp = '2024-03-01T00:00:00.000Z';
  const level = { symbol: 'XBTUSD', timestamp };
  const lines = await linesOf({ exchange: 'bitmex', types: 'quote' }, [
    [
      '2024-03-01T00:00:00.0000010Z',
      book('partial', [{ ...level, id: 1, side: 'Buy', price: 99.5, size: 3 }]),
    ],
    [
      '2024-03-01T00:00:00.0000020Z',
      book('insert', [{ ...level, id: 2, side: 'Sell', price: 100, size: 4 }]),
    ],
    ['2024-03-01T00:00:00.0000030Z', book('update', [{ ...level, id: 1, side: 'Buy', size: 5 }])],
  ]);
  assert.deepEqual(lines.slice(-1), [
    '{"type":"book_snapshot","symbol":"XBTUSD","exchange":"bitmex","name":"quote","depth":1,"interval":0,' +
      '"bids":[{"price":99.5,"amount":5}],"asks":[{"price":100,"amount":4}],' +
      `"timestamp":"${timestamp}","localTimestamp":"2024-03-01T00:00:00.000003Z"}`,
  ]);
  assert.equal(lines.length, 3);
});

test('a disconnect is told once, never before the first message, and throws state away', async () => {
  const partial = (size: number): object => ({
    table: 'orderBookL2',
    action: 'partial',
    data: [
      { symbol: 'XBTUSD', id: 1, side: 'Buy', price: 99.5, size, timestamp: '2024-03-01T00:00:00.000Z' },
    ],
  });
  const update = {
    table: 'orderBookL2',
    action: 'update',
    data: [{ symbol: 'XBTUSD', id: 1, side: 'Buy', size: 9 }],
  };
  const events: readonly Event[] = [
    'disconnect',
    ['2024-03-01T00:00:00.0000010Z', partial(3)],
    ['2024-03-01T00:00:00.0000029Z', { info: 'Welcome to the BitMEX Realtime API.' }],
    'disconnect',
    'disconnect',
    ['2024-03-01T00:00:01.0000000Z', update],
    ['2024-03-01T00:00:02.0000000Z', partial(4)],
    ['2024-03-01T00:00:03.0000000Z', update],
    'disconnect',
  ];
  const feed = { exchange: 'bitmex', types: 'book_change' };
  const kinds = (lines: readonly string[]): readonly string[] =>
    lines.map((line) => {
      const { type, isSnapshot, bids } = JSON.parse(line);
      return type === 'disconnect' ? line : `${isSnapshot} ${bids[0].amount}`;
    });
  assert.deepEqual(kinds(await linesOf({ ...feed, withDisconnects: true }, events)), [
    'true 3',
    '{"type":"disconnect","exchange":"bitmex","localTimestamp":"2024-03-01T00:00:00.000002Z"}',
    'true 4',
    'false 9',
    '{"type":"disconnect","exchange":"bitmex","localTimestamp":"2024-03-01T00:00:03.000000Z"}',
  ]);
  assert.deepEqual(kinds(await linesOf(feed, events)), ['true 3', 'true 4', 'false 9']);
});

test('a bar runs on across a gap unless the disconnect is told', async () => {
  const trade = (n: number): Event => [
    `2024-03-01T00:00:0${n}.0000000Z`,
    bitmexTrade(n, `2024-03-01T00:00:0${n}.000Z`),
  ];
  const events: readonly Event[] = [trade(1), 'disconnect', trade(2)];
  const feed = { exchange: 'bitmex', types: 'trade_bar_2ticks' };
  assert.equal((await linesOf(feed, events)).length, 1);
  const told = await linesOf({ ...feed, withDisconnects: true }, events);
  assert.deepEqual(
    told.map((line) => JSON.parse(line).type),
    ['disconnect'],
  );
});

test('at a midnight at which the API changed the new normalizers take over', async () => {
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

test('ids past 2^53 stay whole', async () => {
  const id = '12345678901234567890123';
  const data = `[{"amount":2,"ts":1709251200000,"id":${id},"price":60000.5,"direction":"buy"}]`;
  const message = `{"ch":"market.BTC_CQ.trade.detail","ts":1709251200001,"tick":{"id":1,"ts":1,"data":${data}}}`;
  const lines = await linesOf({ exchange: 'huobi-dm', types: 'trade' }, [
    ['2024-03-01T00:00:00.0000000Z', message],
    ['2024-03-01T00:00:01.0000000Z', message],
  ]);
  assert.ok(lines.length > 0);
  for (const line of lines) assert.equal(JSON.parse(line).id, id);
});

test('a message that is no JSON, or that breaks a normalizer, is named with its time', async () => {
  const feed = { exchange: 'bitmex', types: 'trade' };
  await assert.rejects(linesOf(feed, [['2024-03-01T00:00:00.0000000Z', '{"table":']]), {
    code: 'corrupt',
    message: 'bitmex: a message of the feed is not JSON: {"table":',
  });
  const broken = { table: 'trade', action: 'insert' };
  await assert.rejects(linesOf(feed, [['2024-03-01T00:00:00.0000000Z', broken]]), {
    code: 'corrupt',
    message:
      /^bitmex: the message of 2024-03-01T00:00:00.0000000Z can't be normalized \(.*\); --channel gives it as it is$/,
  });
});

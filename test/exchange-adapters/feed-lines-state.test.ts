import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bitmexTrade, type Event, linesOf } from './feed-lines-of.js';

test('computed messages follow their source message, by symbol, in the requested order', async () => {
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

test('computes snapshots from book changes that are not output', async () => {
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

test('outputs a disconnect once, never before the first message, and resets state', async () => {
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

test('a bar continues across a gap unless the disconnect is output', async () => {
  const trade = (n: number): Event => [
    `2024-03-01T00:00:0${n}.0000000Z`,
    bitmexTrade(n, `2024-03-01T00:00:0${n}.000Z`),
  ];
  const events: readonly Event[] = [trade(1), 'disconnect', trade(2)];
  const feed = { exchange: 'bitmex', types: 'trade_bar_2ticks' };
  assert.equal((await linesOf(feed, events)).length, 1);
  const reported = await linesOf({ ...feed, withDisconnects: true }, events);
  assert.deepEqual(
    reported.map((line) => JSON.parse(line).type),
    ['disconnect'],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseDay } from '../../../src/dataset/day.js';
import { planFeed } from '../../../src/dialects/feed-plan.js';
import { isDivisible, MixedMessage } from '../../../src/dialects/symbol-shares.js';
import { parseDataTypeName } from '../../../src/market/names/data-type-name.js';
import type { FeedSource } from '../../../src/replay/feeds/feed-source.js';
import { createSyntheticFeeds } from '../../../src/sandbox/feeds/synthetic-feeds.js';
import { createSyntheticExchanges } from '../../../src/sandbox/market/synthetic-exchanges.js';
import { readWithOneReader, readWithSeveralReaders } from './sharing.js';

const DAY = parseDay('2024-03-01');
const MINUTES = 180;
const PERIOD = { start: DAY * 86_400_000_000, end: (DAY + 1) * 86_400_000_000 };
const SIZE = { rows: 500, seed: 3 };
const FEEDS = createSyntheticFeeds({
  ...SIZE,
  breaks: 0.05,
  exchanges: createSyntheticExchanges(parseDay('2024-03-10'), SIZE.rows),
});

const BOOKS = 'book_change,book_ticker,book_snapshot_3_1s,quote';
const TRADES = 'trade,trade_bar_10s,trade_bar_3ticks';

/** For each exchange: symbols, types that several readers may share, and types that they may not. */
const DIALECTS: readonly (readonly [string, string | undefined, string, string | undefined])[] = [
  [
    'binance-futures',
    'BTCUSDT,ethusdt,DOGEUSDT',
    `${TRADES},${BOOKS},derivative_ticker,liquidation`,
    undefined,
  ],
  ['bybit', 'btcusdt,ETHUSDT', `${TRADES},${BOOKS},derivative_ticker,liquidation`, undefined],
  ['okex-swap', 'BTC-USDT-SWAP,ETH-USDT-SWAP', `${TRADES},${BOOKS},derivative_ticker`, 'liquidation'],
  ['deribit', 'BTC-PERPETUAL,ETH-PERPETUAL', `${TRADES},${BOOKS},derivative_ticker,liquidation`, undefined],
  ['deribit', undefined, `${TRADES},option_summary`, undefined],
  ['coinbase', 'BTC-USD,ETH-USD', `${TRADES},${BOOKS}`, undefined],
  ['bitmex', 'XBTUSD,ETHUSD', '', 'trade'],
];

function sourceOf(exchange: string, symbols: string | undefined, types: string): FeedSource {
  return {
    exchange,
    symbols: symbols?.split(','),
    types: types.split(',').map(parseDataTypeName),
    period: PERIOD,
    withDisconnects: true,
  };
}

for (const [exchange, symbols, types, others] of DIALECTS) {
  test(`${exchange} ${symbols ?? 'options'}: several readers write the lines of a single one`, async () => {
    if (others) {
      assert.ok(!isDivisible(exchange, await planFeed(sourceOf(exchange, symbols, others))));
    }
    if (types !== '') {
      const source = sourceOf(exchange, symbols, types);
      const plan = await planFeed(source);
      assert.ok(isDivisible(exchange, plan));
      const [{ filters } = { filters: [] }] = plan.segments;
      const texts = Array.from(
        { length: MINUTES },
        (_, minute) => FEEDS.minute(exchange, filters, DAY * 1440 + minute) ?? '',
      );
      const expected = await readWithOneReader(source, texts);
      assert.equal(expected.error, undefined);
      assert.ok(new Set(expected.text.match(/"symbol":"[^"]+"/g)).size > 1, 'one symbol or none');
      for (const most of [2, 4]) {
        const made = await readWithSeveralReaders(source, texts, most);
        assert.equal(made.error, undefined);
        assert.ok(made.text === expected.text, `over ${most}`);
      }
    }
  });
}

const SYMBOLS = ['BTCUSDT', 'ETHUSDT', '币安人生USDT', 'BTCUSDT_240329'];

/**
 * Possible lines for a symbol and a price. Mixed lines name two symbols, or another one than their start
 * suggests.
 */
const MESSAGES: Readonly<Record<string, (symbol: string, price: number) => string>> = {
  trade: (symbol, price) => trade(symbol.toLowerCase(), symbol, price),
  spaced: (symbol, price) => trade(symbol.toLowerCase(), symbol, price).replaceAll(':', ': '),
  escaped: (symbol, price) =>
    trade(symbol.toLowerCase(), symbol, price).replace('"stream"', '"\\u0073tream"'),
  late: (symbol, price) => trade(symbol.toLowerCase(), symbol, price).replace('{', '{"é":"ü€",'),
  nobody: () => '{"result":null,"id":1}',
  broken: () => '{"stream":"btcusdt@trade","data":{',
  senseless: () => '{"stream":"ethusdt@trade","data":null}',
  mixed: (symbol, price) => trade('xrpusdt', symbol, price),
  twice: (symbol, price) =>
    trade('xrpusdt', symbol, price).replace('"data"', '"stream":"solusdt@trade","data"'),
};

function trade(name: string, symbol: string, price: number): string {
  const data = { e: 'trade', s: symbol, t: price, p: String(price), q: '1', T: 1709251200000, m: true };
  return JSON.stringify({ stream: `${name}@trade`, data });
}

/** Mostly trades; `break` is an empty line. */
const kind = fc.oneof(
  { weight: 20, arbitrary: fc.constant('trade') },
  { weight: 3, arbitrary: fc.constantFrom('break', 'spaced', 'escaped', 'late', 'nobody') },
  { weight: 1, arbitrary: fc.constantFrom('trade', 'broken', 'senseless', 'mixed', 'twice') },
);

const line = fc.record({
  kind,
  symbol: fc.constantFrom(...SYMBOLS),
  /** Times repeat, advance and step back. */
  step: fc.constantFrom(0, 0, 1, 700, -2),
});

test('for any messages in any texts, several readers write the lines of a single one, or their beginning', async () => {
  const asserted = fc.asyncProperty(
    fc.array(fc.array(line, { maxLength: 12 }), { maxLength: 8 }),
    fc.constantFrom(undefined, 'BTCUSDT,ethUSDT', SYMBOLS.join()),
    fc.constantFrom('trade', 'trade_bar_2ticks,trade,trade_bar_1s', 'trade_bar_1s'),
    fc.boolean(),
    fc.integer({ min: 2, max: 5 }),
    async (batches, symbols, types, withDisconnects, most) => {
      let ms = PERIOD.start / 1000;
      let price = 0;
      const texts = batches.map((batch) =>
        batch
          .map(({ kind, symbol, step }) => {
            if (kind === 'break') return '\n';
            ms += step;
            const message = MESSAGES[kind]?.(symbol, ++price);
            return `${new Date(ms).toISOString().slice(0, -1)}1234Z ${message}\n`;
          })
          .join(''),
      );
      const source = { ...sourceOf('binance-futures', symbols, types), withDisconnects };
      const one = await readWithOneReader(source, texts);
      const several = await readWithSeveralReaders(source, texts, most);
      if (several.error instanceof MixedMessage) {
        assert.ok(batches.flat().some((each) => each.kind === 'mixed' || each.kind === 'twice'));
        assert.ok(one.text.startsWith(several.text));
      } else {
        assert.equal(String(several.error), String(one.error));
        assert.equal(several.text, one.text);
      }
    },
  );
  await fc.assert(asserted, { numRuns: 150 });
});

test('all readers switch normalizers at an API change, even if another one has the first message', async () => {
  const source = {
    ...sourceOf('okex-swap', 'BTC-USDT-SWAP,ETH-USDT-SWAP', 'book_change'),
    period: {
      start: Date.parse('2023-03-08T23:59:00Z') * 1000,
      end: Date.parse('2023-03-10T00:00:00Z') * 1000,
    },
  };
  const plan = await planFeed(source);
  assert.equal(plan.segments.length, 2);
  assert.ok(isDivisible('okex-swap', plan));
  const book = (time: string, channel: string, instId: string, price: number): string =>
    `${time}0000Z ${JSON.stringify({
      arg: { channel, instId },
      action: 'update',
      data: [{ bids: [[String(price), '1']], asks: [], ts: '1678320000000' }],
    })}\n`;
  const text = [
    book('2023-03-08T23:59:59.000', 'books', 'BTC-USDT-SWAP', 1),
    book('2023-03-09T00:00:00.000', 'books-l2-tbt', 'ETH-USDT-SWAP', 2),
    // The other reader's first message of the new day has a time of the old one.
    book('2023-03-08T23:59:59.900', 'books-l2-tbt', 'BTC-USDT-SWAP', 3),
    book('2023-03-08T23:59:59.900', 'books', 'BTC-USDT-SWAP', 4),
    '\n',
    book('2023-03-09T00:00:01.000', 'books-l2-tbt', 'BTC-USDT-SWAP', 5),
  ].join('');
  const one = await readWithOneReader(source, [text]);
  const several = await readWithSeveralReaders(source, [text], 2);
  assert.deepEqual(several, one);
  assert.deepEqual(
    one.text.match(/"price":\d/g)?.map((price) => Number(price.at(-1))),
    [1, 2, 3, 5],
  );
});

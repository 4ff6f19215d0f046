import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXCHANGE_CHANNELS_INFO } from 'tardis-dev/dist/consts.js';
import { planFeed } from '../../../src/exchange-adapters/feed-plan.js';
import { planLiveFeeds } from '../../../src/exchange-adapters/live-feeds/plan-live-feeds.js';
import { readSubscription } from '../../../src/exchange-adapters/subscriptions/subscriptions.js';
import { parseMessageType } from '../../../src/market/message-type-name.js';
import { SUBSCRIBING_EXCHANGES } from '../live-feeds/exchanges.js';
import { VECTORS } from './vectors.js';

const NOW = Date.parse('2026-08-01') * 1000;

/** Each exchange with its messages. */
const MESSAGES = VECTORS.flatMap(([exchanges, message, ...expected]) =>
  exchanges.split(',').map((exchange) => ({ exchange, message, expected })),
);
const EXCHANGES = new Set(MESSAGES.map(({ exchange }) => exchange));

test("converts exchanges' own subscribe messages to filters", () => {
  for (const { exchange, message, expected } of MESSAGES) {
    const { filters } = readSubscription(exchange, message, NOW);
    const found = filters?.map(({ channel, symbols }) =>
      [channel, ...(symbols ? [symbols.join()] : [])].join(' '),
    );
    assert.deepEqual(found, expected, `${exchange} ${JSON.stringify(message)}`);
  }
});

/** Channels that exchanges added after the vendor's release. */
const NEWER: Readonly<Record<string, readonly string[]>> = {
  'bitget-futures': ['books', 'liquidation'],
  'gate-io': ['obu'],
  hyperliquid: ['fastBook'],
  kraken: ['instrument'],
};

test('has a message for every exchange of the vendor’s package, with channels of the feed', () => {
  const known: Readonly<Record<string, readonly string[]>> = EXCHANGE_CHANNELS_INFO;
  assert.deepEqual(
    Object.keys(known).filter((exchange) => !EXCHANGES.has(exchange)),
    [],
  );
  for (const { exchange, message } of MESSAGES) {
    const channels = known[exchange];
    if (!channels) continue;
    for (const { channel } of readSubscription(exchange, message, NOW).filters ?? []) {
      assert.ok([...channels, ...(NEWER[exchange] ?? [])].includes(channel), `${exchange} ${channel}`);
    }
  }
});

test('a replay accepts the subscriptions of a stream', async () => {
  const period = { start: NOW, end: NOW + 1 };
  const types = ['trade', 'book_change', 'derivative_ticker', 'liquidation'].map(parseMessageType);
  for (const exchange of SUBSCRIBING_EXCHANGES) {
    const { segments } = await planFeed({ exchange, types, symbols: ['BTC-USDT'], period, isLive: false });
    const open = await planLiveFeeds(
      exchange,
      segments.flatMap(({ filters }) => filters),
    );
    for (const message of open().flatMap((feed) => feed.subscriptions())) {
      assert.ok(readSubscription(exchange, message, NOW).filters, `${exchange} ${JSON.stringify(message)}`);
    }
  }
});

test("bybit-spot's messages are those of the replayed time", () => {
  const before = Date.parse('2023-04-04') * 1000;
  const old = { event: 'sub', topic: 'trade', symbol: 'BTCUSDT' };
  const filters = [{ channel: 'trade', symbols: ['BTCUSDT'] }];
  assert.deepEqual(readSubscription('bybit-spot', old, before), { filters });
  assert.equal(readSubscription('bybit-spot', old, NOW).filters, undefined);
});

test('the error for an invalid message has a valid example', () => {
  for (const exchange of EXCHANGES) {
    // Any message of these selects the whole exchange.
    if (exchange.startsWith('bitfinex')) continue;
    for (const message of [undefined, null, 1, 'x', [], {}, { op: 'unsubscribe', args: [1] }]) {
      const answer = readSubscription(exchange, message, NOW);
      assert.equal(answer.filters, undefined, `${exchange} ${JSON.stringify(message)}`);
      if (answer.filters) continue;
      const example = answer.advice.slice(answer.advice.search(/[[{]/));
      const { filters } = readSubscription(exchange, JSON.parse(example), NOW);
      assert.ok(filters && filters.length > 0, `${exchange} ${example}`);
    }
  }
  assert.deepEqual(readSubscription('nowhere', {}, NOW), {
    filters: undefined,
    advice: 'the subscribe messages of nowhere are unknown',
  });
});

test('an unknown name, or a symbol that is not text, makes the message invalid', () => {
  for (const [exchange, message] of [
    ['coinbase', { type: 'subscribe', channels: ['matches', 'candles'], product_ids: ['BTC-USD'] }],
    ['coinbase', { type: 'subscribe', channels: ['matches'], product_ids: [7] }],
    ['gemini', { type: 'subscribe', subscriptions: [{ name: 'candles_1m', symbols: ['BTCUSD'] }] }],
    ['serum', { op: 'subscribe', channel: 'level4', markets: ['BTC/USDC'] }],
    ['bitnomial', { type: 'subscribe', channels: ['toString'] }],
    ['okex', { op: 'subscribe', args: [{ channel: 'trades', instId: {} }] }],
  ] as const) {
    assert.equal(readSubscription(exchange, message, NOW).filters, undefined, JSON.stringify(message));
  }
});

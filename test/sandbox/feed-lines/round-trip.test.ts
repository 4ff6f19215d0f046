import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { planFeed } from '../../../src/exchange-adapters/feed-plan.js';
import { parseMessageType } from '../../../src/market/message-type-name.js';
import { createNativeWriter, MESSAGE_WRITERS } from '../../../src/sandbox/feed-lines/native-writer.js';
import type { FeedEvent } from '../../../src/sandbox/simulation/market-event.js';
import { normalizeMessages, plain } from '../../exchange-adapters/records-of.js';
import { arbitraryEvents, type TickerKey, type Traits } from './event-arbitraries.js';

const PERIOD = { start: Date.UTC(2024, 2, 5) * 1000, end: Date.UTC(2024, 2, 6) * 1000 };

const MOST: Traits = {
  symbol: 'BTCUSDT',
  tick: 1000,
  ids: 'number',
  liquidationIds: false,
  unknownSides: false,
  timelessLiquidations: false,
  snapshotsOnce: false,
  tickerGroups: [],
};
const PRICES: readonly TickerKey[] = ['lastPrice', 'openInterest', 'fundingRate', 'indexPrice', 'markPrice'];

const TRAITS: Readonly<Record<string, Traits>> = {
  bitmex: {
    ...MOST,
    symbol: 'XBTUSD',
    ids: 'text',
    liquidationIds: true,
    unknownSides: true,
    timelessLiquidations: true,
    tickerGroups: [{ keys: [...PRICES, 'fundingTimestamp', 'predictedFundingRate'], timed: true }],
  },
  'binance-futures': {
    ...MOST,
    snapshotsOnce: true,
    tickerGroups: [
      { keys: ['markPrice', 'indexPrice', 'fundingRate', 'fundingTimestamp'], timed: true },
      { keys: ['lastPrice'], timed: true },
      { keys: ['openInterest'], timed: false },
    ],
  },
  deribit: {
    ...MOST,
    symbol: 'BTC-PERPETUAL',
    liquidationIds: true,
    tickerGroups: [{ keys: PRICES, timed: true }],
  },
  bybit: {
    ...MOST,
    unknownSides: true,
    tickerGroups: [{ keys: [...PRICES, 'fundingTimestamp'], timed: true }],
  },
  'okex-swap': {
    ...MOST,
    symbol: 'BTC-USDT-SWAP',
    tickerGroups: [
      { keys: ['indexPrice', 'markPrice'], timed: true },
      { keys: ['openInterest'], timed: true },
      { keys: ['lastPrice'], timed: true },
      { keys: ['fundingRate', 'fundingTimestamp', 'predictedFundingRate'], timed: false },
    ],
  },
  coinbase: { ...MOST, symbol: 'BTC-USD', tick: 1 },
  lighter: {
    ...MOST,
    symbol: '1',
    liquidationIds: true,
    tickerGroups: [{ keys: PRICES, timed: true }],
  },
};

/** The event types that an exchange has messages for. */
function typesOf(exchange: string): readonly FeedEvent['type'][] {
  return Object.keys(MESSAGE_WRITERS[exchange]?.() ?? {}) as FeedEvent['type'][];
}

/** The record of an event; changes with equal times are merged, ordered by price. */
function toRecord(event: FeedEvent, { tick }: Traits): object {
  return plain({ ...event, micros: tick === 1 || event.timestamp === event.localTimestamp });
}

interface Change {
  readonly type: string;
  readonly timestamp: number;
  readonly bids: readonly { readonly price: number }[];
  readonly asks: readonly { readonly price: number }[];
}

/** Merges consecutive changes with equal times, with levels by price: BitMEX sends one in three messages. */
function joined(records: readonly object[]): readonly object[] {
  const changes: Change[] = [];
  for (const record of records as readonly Change[]) {
    const last = changes.at(-1);
    const isMore = last?.type === 'book_change' && last.timestamp === record.timestamp;
    if (isMore) changes.pop();
    const byPrice = (side: 'bids' | 'asks'): readonly { readonly price: number }[] =>
      [...(isMore ? (last?.[side] ?? []) : []), ...record[side]].sort((a, b) => a.price - b.price);
    changes.push({ ...record, bids: byPrice('bids'), asks: byPrice('asks') });
  }
  return changes;
}

for (const [exchange, traits] of Object.entries(TRAITS)) {
  for (const type of typesOf(exchange)) {
    test(`${exchange}: ${type} messages, normalized, are the original events`, async () => {
      const { segments } = await planFeed({ exchange, types: [parseMessageType(type)], period: PERIOD });
      const [segment] = segments;
      assert.ok(segment && segments.length === 1);
      fc.assert(
        fc.property(arbitraryEvents(type, traits), (events) => {
          const writer = createNativeWriter(exchange);
          const reported = events.flatMap((event) => writer?.write(event) ?? []);
          const channels = new Set(segment.filters.map(({ channel }) => channel));
          for (const { channel } of reported) assert.ok(channels.has(channel), channel);
          const messages = reported.map(({ message, localTimestamp }) => ({
            message: JSON.parse(JSON.stringify(message)) as unknown,
            localTimestamp,
          }));
          const records = normalizeMessages(segment.normalizers(), messages);
          const expected = events.map((event) => toRecord(event, traits));
          if (type === 'book_change') assert.deepEqual(joined(records), joined(expected));
          else assert.deepEqual(records, expected);
        }),
        { numRuns: 50 },
      );
    });
  }
}

test('every exchange with writers has traits here, and an unknown exchange has no writer', () => {
  assert.deepEqual(Object.keys(MESSAGE_WRITERS).sort(), Object.keys(TRAITS).sort());
  assert.equal(createNativeWriter('nowhere'), undefined);
});

test('OKX and Bybit messages use the channels of their day', async () => {
  const day = (text: string): number => Date.parse(text) * 1000;
  const trade = { type: 'trade', symbol: 'X', id: '1', price: 1, amount: 1, side: 'buy' } as const;
  const level = { price: 1, amount: 1 };
  const book = { type: 'book_change', symbol: 'X', isSnapshot: true, bids: [level], asks: [level] } as const;
  const best = {
    type: 'book_ticker',
    symbol: 'X',
    askAmount: 1,
    askPrice: 2,
    bidPrice: 1,
    bidAmount: 1,
  } as const;
  const liquidation = { type: 'liquidation', symbol: 'X', price: 1, amount: 1, side: 'buy' } as const;
  for (const [exchange, event, from] of [
    ['okex-swap', trade, '2023-10-18'],
    ['okex-swap', trade, '2023-10-19'],
    ['okex-swap', book, '2023-02-24'],
    ['okex-swap', book, '2023-02-25'],
    ['okex-swap', book, '2023-03-09'],
    ['okex-swap', book, '2026-05-21'],
    ['okex-swap', best, '2022-05-05'],
    ['okex-swap', best, '2022-05-06'],
    ['bybit', liquidation, '2025-02-25'],
    ['bybit', liquidation, '2025-02-26'],
  ] as const) {
    const time = day(from);
    const period = { start: time, end: time + 60_000_000 };
    const { segments } = await planFeed({ exchange, types: [parseMessageType(event.type)], period });
    const event_ = { ...event, timestamp: time, localTimestamp: time + 1 };
    const messages = createNativeWriter(exchange)?.write(event_) ?? [];
    const records = normalizeMessages(segments[0]?.normalizers() ?? [], messages);
    assert.equal(records.length, 1, `${exchange} ${event.type} ${from}`);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseDay } from '../../src/day-files/day.js';
import { clearSlices } from '../../src/raw-feeds/slices/slice-cache.js';
import type { FeedFilter } from '../../src/service/feed-filter.js';
import { sandbox } from '../helpers/sandbox.js';
import { rounds } from '../helpers/services.js';
import { tempDir } from '../helpers/temp.js';
import { normalizeInProcess } from '../replay/normalized-feeds/normalizing.js';
import { type ReplayResult, replayInProcess, START } from './replaying.js';
import {
  expectedRawOutput,
  type Story,
  type StoryEvent,
  type StoryService,
  startStoryService,
} from './story.js';

/** Number of stories, each with a few requests: few here, a thousand by `npm run test:nightly -- answers`. */
const ROUNDS = Number(process.env['ROUNDS'] ?? rounds(10));
/** The seed of fast-check that a failure prints; random if omitted. */
const SEED = process.env['SEED'];
const MINUTES = 8;

/** Possible requests: raw messages of filters, or normalized ones of types. */
type Question =
  | { readonly filters: readonly FeedFilter[] }
  | { readonly symbols: string; readonly types: string };

interface World {
  readonly exchange: string;
  /** Minutes from `START`. */
  readonly first: number;
  readonly questions: readonly Question[];
  readonly eventOf: (kind: number, ms: number) => StoryEvent;
}

const trade = (...symbols: readonly string[]): readonly FeedFilter[] => [{ channel: 'trade', symbols }];

const BITMEX: World = {
  exchange: 'bitmex',
  first: 0,
  questions: [
    { filters: trade('XBTUSD') },
    { filters: [{ channel: 'trade' }] },
    // Two requests for each slice.
    { filters: trade('ETHUSD', ...Array.from({ length: 60 }, (_, i) => `M${i}`), 'XBTUSD') },
    { symbols: 'XBTUSD', types: 'trade,trade_bar_2ticks' },
    { symbols: 'XBTUSD,ETHUSD', types: 'trade_bar_3ticks' },
  ],
  eventOf(kind, ms) {
    const symbol = ['XBTUSD', 'ETHUSD', 'SOLUSD'][kind] ?? '';
    const data = [{ timestamp: '2024-03-01T00:00:00.000Z', symbol, side: 'Sell', size: 1, price: ms + 1 }];
    return { ms, channel: 'trade', symbol, message: { table: 'trade', action: 'insert', data } };
  },
};

const bybit = (...channels: readonly string[]): { readonly filters: readonly FeedFilter[] } => ({
  filters: channels.map((channel) => ({ channel, symbols: ['BTCUSDT'] })),
});

/** In its middle, liquidations move to another channel. */
const BYBIT: World = {
  exchange: 'bybit',
  first: parseDay('2025-02-26') * 1440 - START - MINUTES / 2,
  questions: [
    bybit('liquidation', 'publicTrade'),
    bybit('allLiquidation', 'publicTrade'),
    bybit('allLiquidation'),
    { symbols: 'BTCUSDT', types: 'trade,liquidation' },
    { symbols: 'BTCUSDT', types: 'liquidation' },
  ],
  eventOf(kind, ms) {
    const [s, p, T] = ['BTCUSDT', String(ms + 1), 1740528000000 + ms];
    const event = (channel: string, data: unknown): StoryEvent => ({
      ms,
      channel,
      symbol: s,
      message: { topic: `${channel}.${s}`, type: 'snapshot', ts: T, data },
    });
    if (kind === 0) return event('publicTrade', [{ s, p, T, v: '1', S: 'Buy', i: String(ms) }]);
    if (kind === 1) return event('allLiquidation', [{ s, p, T, v: '1', S: 'Buy' }]);
    return event('liquidation', { symbol: s, price: p, updatedTime: T, size: '1', side: 'Buy' });
  },
};

interface Asked {
  readonly question: number;
  readonly period: readonly number[];
  readonly withDisconnects: boolean;
  readonly suggested: number;
}

const asked = fc.record({
  question: fc.nat(4),
  period: fc.uniqueArray(fc.integer({ min: 0, max: MINUTES }), { minLength: 2, maxLength: 2 }),
  withDisconnects: fc.boolean(),
  suggested: fc.integer({ min: 1, max: 10 }),
});

/** Seconds of the story, many of them near a minute's end; a kind of message, or a disconnect. */
const event = fc.tuple(
  fc.oneof(
    fc.integer({ min: 0, max: MINUTES * 60_000 - 1 }),
    fc
      .tuple(fc.integer({ min: 1, max: MINUTES - 1 }), fc.integer({ min: -4, max: 4 }))
      .map(([minute, ms]) => minute * 60_000 + ms),
  ),
  fc.option(fc.nat(2), { freq: 2 }),
);

function ask(
  service: StoryService,
  folder: string,
  { exchange, first, questions }: World,
  { question, period, withDisconnects, suggested }: Asked,
): Promise<ReplayResult> {
  const what = questions[question] as Question;
  const range = { from: first + Math.min(...period), to: first + Math.max(...period), withDisconnects };
  service.suggested = suggested;
  if ('filters' in what)
    return replayInProcess(service, folder, { ...range, exchange, filters: what.filters });
  return normalizeInProcess(service, folder, {
    ...range,
    exchanges: [`${exchange}:${what.symbols}`],
    types: what.types,
  });
}

/** @param folder its slices are removed, its records stay. */
async function askCold(service: StoryService, folder: string, world: World, one: Asked): Promise<string> {
  await clearSlices(folder);
  const { text, error } = await ask(service, folder, world, one);
  assert.equal(error, undefined);
  const what = world.questions[one.question] as Question;
  if ('filters' in what) {
    const [from, to] = [Math.min(...one.period), Math.max(...one.period)];
    assert.equal(text, expectedRawOutput(service.story, what.filters, from, to, one.withDisconnects));
  }
  return text;
}

for (const world of [BITMEX, BYBIT]) {
  test(`${world.exchange}: after any earlier requests, the output is that of an empty cache`, async (t) => {
    const service = await startStoryService(t, await sandbox(t));
    const [folder, cold] = [await tempDir(t), await tempDir(t)];
    const property = fc.asyncProperty(
      // Lines of the same time from different parts of one feed have no defined order.
      fc.uniqueArray(event, { selector: ([ms]) => ms, maxLength: 25 }),
      fc.array(asked, { minLength: 2, maxLength: 5 }),
      async (events, requests) => {
        const inOrder = [...events].sort(([a], [b]) => a - b);
        service.story = {
          first: world.first,
          events: inOrder.map(([ms, kind]) => (kind === null ? { ms } : world.eventOf(kind, ms))),
        } satisfies Story;
        await clearSlices(folder);
        for (const one of requests) {
          const warm = await ask(service, folder, world, one);
          assert.equal(warm.error, undefined);
          assert.equal(warm.text, await askCold(service, cold, world, one));
        }
      },
    );
    await fc.assert(property, { numRuns: ROUNDS, ...(SEED !== undefined && { seed: Number(SEED) }) });
  });
}

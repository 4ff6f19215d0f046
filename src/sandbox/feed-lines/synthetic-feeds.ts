import type { Day } from '../../day-files/day.js';
import { MINUTES_PER_DAY, US_PER_MINUTE } from '../../day-files/minute.js';
import { LruMap } from '../archive/lru-map.js';
import { DIALECTS } from '../native/native-writer.js';
import type { MarketSize } from '../simulation/market-event.js';
import { seededRandom } from '../simulation/seeded-random.js';
import { findConnectionLoss } from '../simulation/simulate-market.js';
import type { SandboxExchange } from '../simulation/synthetic-exchanges.js';
import {
  type FeedLine,
  type FeedMarket,
  isSelected,
  type LineFilter,
  listMarkets,
  mayBeSelected,
} from './feed-markets.js';
import { generateMarketLines } from './market-lines.js';

/** Characters of cached lines by default. */
const MAX_CACHED_CHARACTERS = 64_000_000;
/** Cached pairs of exchange and day. */
const MAX_FEED_DAYS = 64;

export interface SyntheticFeedsOptions extends MarketSize {
  readonly exchanges: readonly SandboxExchange[];
  /** Share of the minutes with a disconnect that is not part of the simulation. */
  readonly breaks: number;
  /** Characters of cached lines, 64 million by default. */
  readonly maxCachedCharacters?: number;
}

/** The feeds of the exchanges, minute by minute. */
export interface SyntheticFeeds {
  /**
   * The lines that filters select, and all disconnects, in order; undefined for an exchange without a feed.
   * @param minute minutes since the epoch.
   */
  minute(exchange: string, filters: readonly LineFilter[], minute: number): string | undefined;
}

/** The feed of an exchange on one day. */
interface FeedDay {
  readonly markets: readonly FeedMarket[];
  readonly disconnects: DayDisconnects;
}

/** Feeds of the synthetic markets, from the same events as their day files. */
export function createSyntheticFeeds(options: SyntheticFeedsOptions): SyntheticFeeds {
  const days = new LruMap<FeedDay>(MAX_FEED_DAYS);
  const getFeedDay = (exchange: string, day: Day): FeedDay | undefined => {
    const record = options.exchanges.find(({ id }) => id === exchange);
    if (record === undefined || DIALECTS[exchange] === undefined) return undefined;
    const key = `${exchange} ${day}`;
    const cached = days.get(key);
    if (cached) return cached;
    const created = {
      markets: listMarkets(record, day),
      disconnects: generateDisconnects(exchange, day, options, options.breaks),
    };
    days.set(key, created);
    return created;
  };
  const getLines = createLineSource(
    (market, day) =>
      generateMarketLines(market, day, options, getFeedDay(market.exchange, day)?.disconnects.added ?? []),
    options.maxCachedCharacters ?? MAX_CACHED_CHARACTERS,
  );
  return {
    minute(exchange, filters, minute) {
      const feedDay = getFeedDay(exchange, Math.floor(minute / MINUTES_PER_DAY) as Day);
      if (feedDay === undefined) return undefined;
      const { markets, disconnects } = feedDay;
      const lines = markets
        .filter((market) => mayBeSelected(market, filters))
        .flatMap((market) => getLines(market, minute))
        .filter((line) => isSelected(line, filters));
      // Two empty lines: a feed that takes long to reconnect leaves them.
      const disconnectLines = disconnects.all
        .filter((time) => Math.floor(time / US_PER_MINUTE) === minute)
        .map((localTimestamp) => ({ localTimestamp, text: '\n\n' }));
      const sorted = [...disconnectLines, ...lines].sort((a, b) => a.localTimestamp - b.localTimestamp);
      // The collector reconnects at midnight.
      const isLast = minute % MINUTES_PER_DAY === MINUTES_PER_DAY - 1;
      return sorted.map(({ text }) => text).join('') + (isLast ? '\n' : '');
    },
  };
}

/** The disconnects of a collector from an exchange on a UTC day, in order. */
interface DayDisconnects {
  /** Local times of all disconnects, in microseconds. */
  readonly all: readonly number[];
  /** Disconnects that are not part of the simulation, so that day files do not show them. */
  readonly added: readonly number[];
}

/** @param share share of the minutes with an added disconnect. */
function generateDisconnects(exchange: string, day: Day, size: MarketSize, share: number): DayDisconnects {
  const added: number[] = [];
  for (let i = 0; share > 0 && i < MINUTES_PER_DAY; i++) {
    const minute = day * MINUTES_PER_DAY + i;
    const random = seededRandom(size.seed, 'breaks', exchange, minute);
    if (random.chance(share)) added.push(minute * US_PER_MINUTE + random.int(US_PER_MINUTE));
  }
  const lost = findConnectionLoss(exchange, day, size);
  const all = lost === undefined ? added : [...added, lost].sort((a, b) => a - b);
  return { all, added };
}

/** Maximum number of market days that are being read. */
const MAX_DAY_READERS = 256;

/**
 * Returns a function that gives the lines of a market and minute. Minutes may be requested in any order. Consecutive
 * minutes of a day are generated in one pass; a minute that was evicted is generated again from midnight on.
 * @param generateLines generates the lines of a market's day.
 * @param maxCharacters capacity of the cache.
 */
export function createLineSource(
  generateLines: (market: FeedMarket, day: Day) => Generator<FeedLine, undefined>,
  maxCharacters: number,
): (market: FeedMarket, minute: number) => readonly FeedLine[] {
  const cache = new LruMap<readonly FeedLine[]>(maxCharacters, countCharacters);
  const readers = new LruMap<DayLineReader>(MAX_DAY_READERS);
  const getReader = (market: FeedMarket, name: string, minute: number): DayLineReader => {
    const day = Math.floor(minute / MINUTES_PER_DAY) as Day;
    const key = `${name} ${day}`;
    const current = readers.get(key);
    const mustRestart = current === undefined || current.minute > minute;
    const reader = mustRestart
      ? new DayLineReader(generateLines(market, day), day * MINUTES_PER_DAY)
      : current;
    readers.set(key, reader);
    return reader;
  };
  return (market, minute) => {
    const name = `${market.exchange} ${market.symbol}`;
    const cached = cache.get(`${name} ${minute}`);
    if (cached) return cached;
    const reader = getReader(market, name, minute);
    while (reader.minute < minute) cache.set(`${name} ${reader.minute}`, reader.readMinute());
    const lines = reader.readMinute();
    cache.set(`${name} ${minute}`, lines);
    return lines;
  };
}

/** Approximate memory of a line besides its text, in characters. */
const LINE_OVERHEAD = 100;

function countCharacters(lines: readonly FeedLine[]): number {
  return lines.reduce((sum, { text }) => sum + text.length + LINE_OVERHEAD, LINE_OVERHEAD);
}

/** Reads the lines of a day minute by minute. */
class DayLineReader {
  readonly #lines: Iterator<FeedLine, undefined>;
  #next: FeedLine | undefined;

  /** @param minute the first minute to read, since the epoch. */
  constructor(
    lines: Generator<FeedLine, undefined>,
    public minute: number,
  ) {
    this.#lines = lines;
    this.#next = lines.next().value;
  }

  /** The lines of `minute`, which is then increased. */
  readMinute(): readonly FeedLine[] {
    this.minute++;
    const end = this.minute * US_PER_MINUTE;
    const lines: FeedLine[] = [];
    while (this.#next !== undefined && this.#next.localTimestamp < end) {
      lines.push(this.#next);
      this.#next = this.#lines.next().value;
    }
    return lines;
  }
}

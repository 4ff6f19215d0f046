import type { Day } from '../../dataset/day.js';
import { MINUTES_PER_DAY, US_PER_MINUTE } from '../../dataset/minute.js';
import { BoundedMap } from '../archive/bounded-map.js';
import { DIALECTS } from '../dialects/native-writer.js';
import type { SandboxExchange } from '../market/synthetic-exchanges.js';
import type { MarketSize } from '../market/market-size.js';
import { type DayDisconnects, generateDisconnects } from './day-disconnects.js';
import { type FeedMarket, listMarkets, mayBeSelected } from './feed-markets.js';
import { createLineSource } from './line-source.js';
import { generateMarketLines } from './market-lines.js';
import { isSelected, type LineFilter } from './feed-line.js';

/** Characters of lines. */
const MAX_CACHED_CHARACTERS = 64_000_000;
/** Days of exchanges. */
const MAX_FEED_DAYS = 64;

export interface SyntheticFeedsOptions extends MarketSize {
  readonly exchanges: readonly SandboxExchange[];
  /** Share of the minutes with a break that the story doesn't know. */
  readonly breaks: number;
  /** Characters of lines that are kept, 64 million by default. */
  readonly maxCachedCharacters?: number;
}

/** What exchanges sent, minute by minute. */
export interface SyntheticFeeds {
  /**
   * The lines that filters select, and all breaks, in order; undefined for an exchange without a feed.
   * @param minute since the epoch.
   */
  minute(exchange: string, filters: readonly LineFilter[], minute: number): string | undefined;
}

/** An exchange on one day. */
interface FeedDay {
  readonly markets: readonly FeedMarket[];
  readonly breaks: DayDisconnects;
}

/** Feeds of the made-up markets, which tell the same story as their day files. */
export function createSyntheticFeeds(options: SyntheticFeedsOptions): SyntheticFeeds {
  const days = new BoundedMap<FeedDay>(MAX_FEED_DAYS);
  const dayOf = (exchange: string, day: Day): FeedDay | undefined => {
    const record = options.exchanges.find(({ id }) => id === exchange);
    if (record === undefined || DIALECTS[exchange] === undefined) return undefined;
    const key = `${exchange} ${day}`;
    const known = days.get(key);
    if (known) return known;
    const made = {
      markets: listMarkets(record, day),
      breaks: generateDisconnects(exchange, day, options, options.breaks),
    };
    days.set(key, made);
    return made;
  };
  const linesAt = createLineSource(
    (market, day) =>
      generateMarketLines(market, day, options, dayOf(market.exchange, day)?.breaks.added ?? []),
    options.maxCachedCharacters ?? MAX_CACHED_CHARACTERS,
  );
  return {
    minute(exchange, filters, minute) {
      const feedDay = dayOf(exchange, Math.floor(minute / MINUTES_PER_DAY) as Day);
      if (feedDay === undefined) return undefined;
      const { markets, breaks } = feedDay;
      const lines = markets
        .filter((market) => mayBeSelected(market, filters))
        .flatMap((market) => linesAt(market, minute))
        .filter((line) => isSelected(line, filters));
      // Two lines, as a feed that is slow to come back leaves them.
      const lost = breaks.all
        .filter((time) => Math.floor(time / US_PER_MINUTE) === minute)
        .map((localTimestamp) => ({ localTimestamp, text: '\n\n' }));
      const inOrder = [...lost, ...lines].sort((a, b) => a.localTimestamp - b.localTimestamp);
      // The collector connects anew at midnight.
      const isLast = minute % MINUTES_PER_DAY === MINUTES_PER_DAY - 1;
      return inOrder.map(({ text }) => text).join('') + (isLast ? '\n' : '');
    },
  };
}

import type { Day } from '../../dataset/day.js';
import { MINUTES_A_DAY, US_A_MINUTE } from '../../dataset/minutes.js';
import { Latest } from '../archive/latest.js';
import { DIALECTS } from '../dialects/dialects.js';
import type { ExchangeRecord } from '../market/exchanges.js';
import type { MarketSize } from '../market/size.js';
import { type Breaks, breaksOf } from './breaks.js';
import { lineSource } from './line-source.js';
import { marketLines } from './market-lines.js';
import { type FeedMarket, marketsOf, mayBeSelected } from './markets.js';
import { isSelected, type RawFilter } from './raw-line.js';

/** Characters of lines. */
const MOST_KEPT = 64_000_000;
/** Days of exchanges. */
const MOST_DAYS = 64;

export interface MadeUpFeedsOptions extends MarketSize {
  readonly exchanges: readonly ExchangeRecord[];
  /** Share of the minutes with a break that the story doesn't know. */
  readonly breaks: number;
  /** Characters of lines that are kept, 64 million by default. */
  readonly mostKept?: number;
}

/** What exchanges sent, minute by minute. */
export interface MadeUpFeeds {
  /**
   * The lines that filters select, and all breaks, in order; undefined for an exchange without a feed.
   * @param minute since the epoch.
   */
  minute(exchange: string, filters: readonly RawFilter[], minute: number): string | undefined;
}

/** An exchange on one day. */
interface FeedDay {
  readonly markets: readonly FeedMarket[];
  readonly breaks: Breaks;
}

/** Feeds of the made-up markets, which tell the same story as their day files. */
export function madeUpFeeds(options: MadeUpFeedsOptions): MadeUpFeeds {
  const days = new Latest<FeedDay>(MOST_DAYS);
  const dayOf = (exchange: string, day: Day): FeedDay | undefined => {
    const record = options.exchanges.find(({ id }) => id === exchange);
    if (record === undefined || DIALECTS[exchange] === undefined) return undefined;
    const key = `${exchange} ${day}`;
    const known = days.get(key);
    if (known) return known;
    const made = {
      markets: marketsOf(record, day),
      breaks: breaksOf(exchange, day, options, options.breaks),
    };
    days.set(key, made);
    return made;
  };
  const linesAt = lineSource(
    (market, day) => marketLines(market, day, options, dayOf(market.exchange, day)?.breaks.added ?? []),
    options.mostKept ?? MOST_KEPT,
  );
  return {
    minute(exchange, filters, minute) {
      const feedDay = dayOf(exchange, Math.floor(minute / MINUTES_A_DAY) as Day);
      if (feedDay === undefined) return undefined;
      const { markets, breaks } = feedDay;
      const lines = markets
        .filter((market) => mayBeSelected(market, filters))
        .flatMap((market) => linesAt(market, minute))
        .filter((line) => isSelected(line, filters));
      // Two lines, as a feed that is slow to come back leaves them.
      const lost = breaks.all
        .filter((time) => Math.floor(time / US_A_MINUTE) === minute)
        .map((localTimestamp) => ({ localTimestamp, text: '\n\n' }));
      const inOrder = [...lost, ...lines].sort((a, b) => a.localTimestamp - b.localTimestamp);
      // The collector connects anew at midnight.
      const isLast = minute % MINUTES_A_DAY === MINUTES_A_DAY - 1;
      return inOrder.map(({ text }) => text).join('') + (isLast ? '\n' : '');
    },
  };
}

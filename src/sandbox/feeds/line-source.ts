import type { Day } from '../../dataset/day.js';
import { MINUTES_PER_DAY } from '../../dataset/minute.js';
import { BoundedMap } from '../archive/bounded-map.js';
import { DayLineReader } from './day-line-reader.js';
import type { FeedLine } from './feed-line.js';
import type { FeedMarket } from './feed-markets.js';
import { MinuteCache } from './minute-cache.js';

/** Maximum number of market days that are being read. */
const MAX_DAY_READERS = 256;

/**
 * Returns a function that gives the lines of a market and minute. Minutes may be requested in any order. Consecutive
 * minutes of a day are generated in one pass; a minute that was evicted is generated again from midnight on.
 * @param linesOf generates the lines of a market's day.
 * @param maxCharacters capacity of the cache.
 */
export function createLineSource(
  generateLines: (market: FeedMarket, day: Day) => Generator<FeedLine, undefined>,
  maxCharacters: number,
): (market: FeedMarket, minute: number) => readonly FeedLine[] {
  const cache = new MinuteCache(maxCharacters);
  const readers = new BoundedMap<DayLineReader>(MAX_DAY_READERS);
  const getReader = (market: FeedMarket, name: string, minute: number): DayLineReader => {
    const day = Math.floor(minute / MINUTES_PER_DAY) as Day;
    const key = `${name} ${day}`;
    const current = readers.get(key);
    const mustRestart = current === undefined || current.minute > minute;
    const reader = mustRestart
      ? new DayLineReader(generateLines(market, day), day * MINUTES_PER_DAY)
      : current;
    // Set again, so that it is the newest entry.
    readers.delete(key);
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

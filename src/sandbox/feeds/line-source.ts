import type { Day } from '../../dataset/day.js';
import { MINUTES_PER_DAY } from '../../dataset/minute.js';
import { BoundedMap } from '../archive/bounded-map.js';
import { DayLineReader } from './day-line-reader.js';
import type { FeedMarket } from './feed-markets.js';
import { MinuteCache } from './minute-cache.js';
import type { FeedLine } from './feed-line.js';

/** Markets whose day is under way. */
const MAX_DAY_READERS = 256;

/**
 * Gives the lines of a market and minute. Minutes may be asked for in any order: those of a day that follow each other
 * are made in one go, and one that is no longer kept is made from midnight on.
 * @param linesOf the lines of a market's day.
 * @param mostKept characters.
 */
export function createLineSource(
  linesOf: (market: FeedMarket, day: Day) => Generator<FeedLine, undefined>,
  mostKept: number,
): (market: FeedMarket, minute: number) => readonly FeedLine[] {
  const cache = new MinuteCache(mostKept);
  const reels = new BoundedMap<DayLineReader>(MAX_DAY_READERS);
  const reelOf = (market: FeedMarket, name: string, minute: number): DayLineReader => {
    const day = Math.floor(minute / MINUTES_PER_DAY) as Day;
    const key = `${name} ${day}`;
    const running = reels.get(key);
    const isAhead = running === undefined || running.minute > minute;
    const reel = isAhead ? new DayLineReader(linesOf(market, day), day * MINUTES_PER_DAY) : running;
    // Set again, it is the latest one.
    reels.delete(key);
    reels.set(key, reel);
    return reel;
  };
  return (market, minute) => {
    const name = `${market.exchange} ${market.symbol}`;
    const kept = cache.get(`${name} ${minute}`);
    if (kept) return kept;
    const reel = reelOf(market, name, minute);
    while (reel.minute < minute) cache.set(`${name} ${reel.minute}`, reel.readMinute());
    const lines = reel.readMinute();
    cache.set(`${name} ${minute}`, lines);
    return lines;
  };
}

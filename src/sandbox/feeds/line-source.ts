import type { Day } from '../../day-files/day.js';
import { MINUTES_PER_DAY, US_PER_MINUTE } from '../../day-files/minute.js';
import { LruMap } from '../archive/lru-map.js';
import type { FeedLine } from './feed-line.js';
import type { FeedMarket } from './feed-markets.js';

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

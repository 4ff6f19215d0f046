import type { Day } from '../../dataset/day.js';
import type { Random } from './seeded-random.js';

const US_PER_DAY = 86_400_000_000;
/** The longest time, in microseconds, to a message that follows at once. */
const MAX_FOLLOW_US = 1000;

/** How fine the exchange's own times are: `none` where it gives none, so that both times are equal. */
export type TimestampResolution = 'ms' | 'us' | 'none';

/**
 * The two times of messages, in microseconds since the epoch: the local one goes up with each, the exchange's never
 * goes back. A day is one of local time, and its messages share it by their rows.
 */
export class MarketClock {
  localTimestamp: number;
  timestamp = 0;
  readonly #start: number;
  /** What a row has of the day. */
  readonly #share: number;
  #rows = 0;

  /** @param rows of all messages to come, fewer than the day has microseconds. */
  constructor(
    day: Day,
    rows: number,
    readonly resolution: TimestampResolution,
    readonly random: Random,
  ) {
    const midnight = day * US_PER_DAY;
    this.#start = midnight + 5000 + random.int(20_000);
    this.#share = Math.floor((midnight + US_PER_DAY - this.#start) / rows);
    this.localTimestamp = this.#start;
    this.#stamp();
  }

  /** Goes to a message of so many rows: into the share of the last of them. */
  advance(rows: number): void {
    this.#rows += rows;
    this.localTimestamp = this.#start + (this.#rows - 1) * this.#share + this.random.int(this.#share);
    this.#stamp();
  }

  /** The messages of so many more rows are there by then. */
  estimateLocal(rows: number): number {
    return this.#start + (this.#rows + rows) * this.#share;
  }

  /** Goes to a message of so many rows that came of the same thing as the one before, and at once. */
  follow(rows: number): void {
    this.#rows += rows;
    this.localTimestamp += 1 + this.random.int(Math.min(MAX_FOLLOW_US, this.#share));
    if (this.resolution === 'none') this.timestamp = this.localTimestamp;
  }

  #stamp(): void {
    this.timestamp = Math.max(this.timestamp, this.#exchangeTime());
  }

  #exchangeTime(): number {
    if (this.resolution === 'none') return this.localTimestamp;
    const sent = this.localTimestamp - 4000 - this.random.int(90_000);
    return this.resolution === 'us' ? sent : sent - (sent % 1000);
  }
}

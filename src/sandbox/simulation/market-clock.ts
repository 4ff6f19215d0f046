import { type Day, US_PER_DAY } from '../../day-files/day.js';
import type { Random } from './seeded-random.js';

/** Maximum time to a message that follows the previous one immediately. */
const MAX_FOLLOW_US = 1000;
/** Resolution of the exchange's times; `none` if it provides none, so that both times are equal. */
export type TimestampResolution = 'ms' | 'us' | 'none';
/**
 * The two times of messages, in microseconds since the epoch. The local time increases with each message, and the
 * exchange's time never decreases. A day is one of local time, which is divided equally among the rows of its messages.
 */
export class MarketClock {
  localTimestamp: number;
  timestamp = 0;
  readonly #start: number;
  /** Microseconds of the day per row. */
  readonly #share: number;
  #rows = 0;

  /** @param rows rows of all messages, fewer than the day has microseconds. */
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

  /** Advances to a message of this many rows, to a random time in the share of its last row. */
  advance(rows: number): void {
    this.#rows += rows;
    this.localTimestamp = this.#start + (this.#rows - 1) * this.#share + this.random.int(this.#share);
    this.#stamp();
  }

  /** Local time by which the messages of this many more rows are complete. */
  estimateLocal(rows: number): number {
    return this.#start + (this.#rows + rows) * this.#share;
  }

  /** Advances to a message of this many rows that has the same cause as the previous one and follows immediately. */
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
    const sentUs = this.localTimestamp - 4000 - this.random.int(90_000);
    return this.resolution === 'us' ? sentUs : sentUs - (sentUs % 1000);
  }
}

import type { Day } from '../../dataset/day.js';
import type { Random } from './random.js';

const US_A_DAY = 86_400_000_000;
/** Share of the rows that belong to the same message as the row before. */
const SAME_MESSAGE = 0.3;

/** How fine the exchange's own times are: `none` where it gives none, so that both columns are equal. */
export type Resolution = 'ms' | 'us' | 'none';

/** The two times of a row, never going back, in microseconds since the epoch; a day is one of `local_timestamp`. */
export class Clock {
  /** `timestamp,local_timestamp`. */
  stamp = '';
  /** Microseconds. */
  local: number;
  #timestamp = 0;
  readonly #end: number;
  readonly #step: number;

  constructor(
    day: Day,
    rows: number,
    readonly resolution: Resolution,
    readonly random: Random,
  ) {
    this.local = day * US_A_DAY;
    this.#end = this.local + US_A_DAY - 1;
    this.#step = US_A_DAY / (rows * (1 - SAME_MESSAGE) + 1);
    this.advance(5000 + random.int(20_000));
  }

  /** Goes to the next message, or stays in this one. */
  tick(): void {
    if (!this.random.chance(SAME_MESSAGE)) this.advance(Math.ceil(2 * this.#step * this.random.next()));
  }

  /** @param us microseconds. */
  advance(us: number): void {
    this.local = Math.min(this.local + us, this.#end);
    this.#timestamp = Math.max(this.#timestamp, this.#exchangeTime());
    this.stamp = `${this.#timestamp},${this.local}`;
  }

  #exchangeTime(): number {
    if (this.resolution === 'none') return this.local;
    const sent = this.local - 4000 - this.random.int(90_000);
    return this.resolution === 'us' ? sent : sent - (sent % 1000);
  }
}

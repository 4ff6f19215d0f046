import { US_PER_MINUTE } from '../../dataset/minute.js';
import type { RawLine } from './raw-line.js';

/** Lines of a day, taken minute by minute. */
export class DayReel {
  readonly #lines: Iterator<RawLine, undefined>;
  #ahead: RawLine | undefined;

  /** @param minute the first one that is to come, since the epoch. */
  constructor(
    lines: Generator<RawLine, undefined>,
    public minute: number,
  ) {
    this.#lines = lines;
    this.#ahead = lines.next().value;
  }

  /** The lines of `minute`, which is then the next one. */
  take(): readonly RawLine[] {
    this.minute++;
    const end = this.minute * US_PER_MINUTE;
    const taken: RawLine[] = [];
    while (this.#ahead !== undefined && this.#ahead.localTimestamp < end) {
      taken.push(this.#ahead);
      this.#ahead = this.#lines.next().value;
    }
    return taken;
  }
}

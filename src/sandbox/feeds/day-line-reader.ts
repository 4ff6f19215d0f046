import { US_PER_MINUTE } from '../../dataset/minute.js';
import type { FeedLine } from './feed-line.js';

/** Lines of a day, taken minute by minute. */
export class DayLineReader {
  readonly #lines: Iterator<FeedLine, undefined>;
  #ahead: FeedLine | undefined;

  /** @param minute the first one that is to come, since the epoch. */
  constructor(
    lines: Generator<FeedLine, undefined>,
    public minute: number,
  ) {
    this.#lines = lines;
    this.#ahead = lines.next().value;
  }

  /** The lines of `minute`, which is then the next one. */
  readMinute(): readonly FeedLine[] {
    this.minute++;
    const end = this.minute * US_PER_MINUTE;
    const taken: FeedLine[] = [];
    while (this.#ahead !== undefined && this.#ahead.localTimestamp < end) {
      taken.push(this.#ahead);
      this.#ahead = this.#lines.next().value;
    }
    return taken;
  }
}

import { US_PER_MINUTE } from '../../dataset/minute.js';
import type { FeedLine } from './feed-line.js';

/** Reads the lines of a day minute by minute. */
export class DayLineReader {
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

import { TickhaulError } from '../../base/errors.js';

/**
 * Checks that the updates of an exchange's books follow their snapshots and each other without a gap, if both
 * come in the same channel. Levels are absolute amounts, so an update that begins inside the known numbers and
 * ends after them still joins.
 */
export class BookSequence {
  readonly #exchange: string;
  readonly #isLive: boolean;
  /** By symbol: the last number of the book, and whether an update was applied since its snapshot. */
  readonly #books = new Map<string, { last: number; isAligned: boolean }>();

  constructor(exchange: string, isLive: boolean) {
    this.#exchange = exchange;
    this.#isLive = isLive;
  }

  /** Starts a symbol's book again. @param last number of the snapshot; NaN if it has none. */
  restart(symbol: string, last: number): void {
    if (Number.isFinite(last)) this.#books.set(symbol, { last, isAligned: false });
    else this.#books.delete(symbol);
  }

  /**
   * Whether to apply an update. Updates without numbers are not checked, and the first one of a book without
   * a snapshot starts its numbers.
   * @param first first number of the update. @param last its last number.
   * @returns false for an update that the snapshot before it contains.
   * @throws TickhaulError `corrupt` with the symbol and both numbers, if the update does not join the book.
   */
  accepts(symbol: string, first: number, last: number): boolean {
    if (!Number.isFinite(first) || !Number.isFinite(last)) return true;
    const book = this.#books.get(symbol);
    if (book === undefined) {
      this.#books.set(symbol, { last, isAligned: true });
      return true;
    }
    if (last <= book.last && !book.isAligned) return false;
    if (first > book.last + 1 || last <= book.last) {
      const advice = this.#isLive ? '' : '; use --source datasets, or --channel for the original messages';
      throw new TickhaulError(
        'corrupt',
        `${this.#exchange}: the book of ${symbol} lacks updates: updates ${first} to ${last} came after update ${book.last}${advice}`,
      );
    }
    book.last = last;
    book.isAligned = true;
    return true;
  }
}

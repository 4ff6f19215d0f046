import { BookSide } from '../../market/book/book-side.js';
import { LevelBuffer } from '../../market/book/level-buffer.js';
import type { BatchRows } from './batch-rows.js';
import { BOOK_STATE, BookStates, compareBest, type StateSource } from './book-states.js';
import { OTHER_CODE } from './text-codes.js';

const SIDE_CODES = { bid: 1, ask: 2 } as const;

/** The order book of one symbol as the exchange sent it: crossed levels stay. */
class AuditedBook {
  readonly bids = new BookSide(1);
  readonly asks = new BookSide(-1);
  /** Whether there was a snapshot. */
  isReady = false;
  kind: number = BOOK_STATE.open;
}

/**
 * Finds the states of incremental_book_L2: one after each change. A change is a run of rows of equal symbol, times and
 * `is_snapshot`; a snapshot empties the book first, and before the first one there is no book.
 */
export class ChangeStates implements StateSource {
  readonly #states = new BookStates();
  readonly #books: AuditedBook[] = [];
  readonly #snapshotBids = new LevelBuffer();
  readonly #snapshotAsks = new LevelBuffer();
  /** The current change; symbol -1 if there is none. */
  #symbol = -1;
  #timestamp = Number.NaN;
  #localTimestamp = Number.NaN;
  #isSnapshot = 0;
  #clock = 0;
  #lastRow = 0;

  /** @throws TickhaulError `corrupt` for a side that is neither bid nor ask. */
  push(batch: BatchRows): BookStates {
    const { rows, rowsBefore, symbols, timestamps, localTimestamps, clocks } = batch;
    const snapshots = batch.flags('is_snapshot');
    const sides = batch.codes('side', SIDE_CODES);
    const prices = batch.numbers('price');
    const amounts = batch.numbers('amount');
    const states = this.#states;
    states.clear(rows + 1);
    let book = this.#books[this.#symbol];
    for (let row = 0; row < rows; row++) {
      const side = sides[row] as number;
      if (side === OTHER_CODE) throw batch.createTextError('side', row, 'is neither bid nor ask');
      const symbol = symbols[row] as number;
      if (symbol < 0) continue;
      const timestamp = timestamps[row] as number;
      const local = localTimestamps[row] as number;
      const isSnapshot = snapshots[row] as number;
      if (
        symbol !== this.#symbol ||
        isSnapshot !== this.#isSnapshot ||
        !isSameTime(local, this.#localTimestamp) ||
        !isSameTime(timestamp, this.#timestamp)
      ) {
        this.#commit();
        this.#symbol = symbol;
        this.#timestamp = timestamp;
        this.#localTimestamp = local;
        this.#isSnapshot = isSnapshot;
        this.#clock = clocks[row] as number;
        book = this.#books[symbol] ??= new AuditedBook();
      }
      this.#lastRow = rowsBefore + row + 1;
      const price = prices[row] as number;
      const amount = amounts[row] as number;
      if (side === 0 || Number.isNaN(price + amount)) continue;
      if (isSnapshot === 1)
        (side === SIDE_CODES.ask ? this.#snapshotAsks : this.#snapshotBids).push(price, amount);
      else if (book?.isReady) {
        const isHeld = (side === SIDE_CODES.ask ? book.asks : book.bids).set(price, amount);
        if (!isHeld && amount === 0) states.absentDeletes.push(row);
      }
    }
    return states;
  }

  end(): BookStates {
    this.#states.clear(1);
    this.#commit();
    return this.#states;
  }

  #commit(): void {
    const book = this.#books[this.#symbol];
    if (!book) return;
    const { bids, asks } = book;
    if (this.#isSnapshot === 1) {
      book.isReady = true;
      fillSide(bids, this.#snapshotBids);
      fillSide(asks, this.#snapshotAsks);
    }
    if (!book.isReady) return;
    // Only a change of a best level changes the state.
    if (bids.touched === 0 || asks.touched === 0) book.kind = compareBest(bids.best, asks.best);
    bids.touched = Number.POSITIVE_INFINITY;
    asks.touched = Number.POSITIVE_INFINITY;
    this.#states.add(book.kind, this.#symbol, this.#clock, this.#lastRow, this.#localTimestamp);
  }
}

function fillSide(side: BookSide, levels: LevelBuffer): void {
  side.fill(levels.prices, levels.amounts, levels.count);
  levels.count = 0;
}

/** Two empty times are the same. */
function isSameTime(a: number, b: number): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

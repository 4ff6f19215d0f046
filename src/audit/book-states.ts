import { BookSide, LevelBuffer } from '../market/order-book.js';
import { type BatchRows, OTHER_CODE } from './batch-rows.js';

/** Relation of the best bid to the best ask. A state with an empty side is neither locked nor crossed. */
export const BOOK_STATE = { open: 0, locked: 1, crossed: 2 } as const;

/** The `BOOK_STATE` of two prices; NaN is an empty side. */
function compareBest(bid: number, ask: number): number {
  if (bid > ask) return BOOK_STATE.crossed;
  return bid === ask ? BOOK_STATE.locked : BOOK_STATE.open;
}

/** States that began in a batch, in the order of the file, and deletions of levels that the book does not hold. */
export class BookStates {
  count = 0;
  /** Of each state, a value of `BOOK_STATE`. */
  kinds = new Uint8Array();
  /** Position of the symbol in `symbolNames`. */
  symbols = new Int32Array();
  /** Clock at which the state begins, in microseconds. */
  clocks = new Float64Array();
  /** Number of the last row of the change, counted from 1. */
  rows = new Float64Array();
  /** NaN if empty. */
  localTimestamps = new Float64Array();
  /** Positions in the batch of rows that delete an absent level. */
  readonly absentDeletes: number[] = [];

  /** Removes all states. @param capacity greatest number of states until the next call. */
  clear(capacity: number): void {
    this.count = 0;
    this.absentDeletes.length = 0;
    if (capacity <= this.kinds.length) return;
    this.kinds = new Uint8Array(capacity);
    this.symbols = new Int32Array(capacity);
    this.clocks = new Float64Array(capacity);
    this.rows = new Float64Array(capacity);
    this.localTimestamps = new Float64Array(capacity);
  }

  add(kind: number, symbol: number, clock: number, row: number, local: number): void {
    const at = this.count++;
    this.kinds[at] = kind;
    this.symbols[at] = symbol;
    this.clocks[at] = clock;
    this.rows[at] = row;
    this.localTimestamps[at] = local;
  }
}

/** Finds the states of each batch of a file. */
export interface StateSource {
  /** The states that began with rows of this batch, or that a change completed in it. */
  push(batch: BatchRows): BookStates;
  /** The state of a last change, which no row follows. */
  end(): BookStates;
}

/** Finds the states of a data type in which each row is a state: quotes, and level 0 of book snapshots. */
export function createRowStates(bidColumn: string, askColumn: string): StateSource {
  const states = new BookStates();
  return {
    push(batch) {
      const { rows, rowsBefore, symbols, clocks, localTimestamps } = batch;
      const bids = batch.numbers(bidColumn);
      const asks = batch.numbers(askColumn);
      states.clear(rows);
      for (let row = 0; row < rows; row++) {
        const symbol = symbols[row] as number;
        if (symbol < 0) continue;
        const kind = compareBest(bids[row] as number, asks[row] as number);
        const local = localTimestamps[row] as number;
        states.add(kind, symbol, clocks[row] as number, rowsBefore + row + 1, local);
      }
      return states;
    },
    end() {
      states.clear(0);
      return states;
    },
  };
}

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

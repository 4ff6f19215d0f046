import type { BatchRows } from './batch-rows.js';

/** Relation of the best bid to the best ask. A state with an empty side is neither locked nor crossed. */
export const BOOK_STATE = { open: 0, locked: 1, crossed: 2 } as const;

/** The `BOOK_STATE` of two prices; NaN is an empty side. */
export function compareBest(bid: number, ask: number): number {
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

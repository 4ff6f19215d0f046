/** Relation of the best bid to the best ask. A state with an empty side is neither. */
export const BOOK_STATE = { open: 0, locked: 1, crossed: 2 } as const;

/** States that ended in a batch, in the order of the file, and deletions of levels that the book does not hold. */
export interface BookStates {
  readonly count: number;
  /** Of each state, a value of `BOOK_STATE`. */
  readonly kinds: Uint8Array;
  /** Position of the symbol in `symbolNames`. */
  readonly symbols: Int32Array;
  /** Clock at which the state begins, in microseconds. */
  readonly clocks: Float64Array;
  /** Number of the last row of the change, counted from 1. */
  readonly rows: Float64Array;
  /** NaN if empty. */
  readonly localTimestamps: Float64Array;
  /** Positions in the batch of rows that delete an absent level. */
  readonly absentDeletes: readonly number[];
}

export const NO_BOOK_STATES: BookStates = {
  count: 0,
  kinds: new Uint8Array(),
  symbols: new Int32Array(),
  clocks: new Float64Array(),
  rows: new Float64Array(),
  localTimestamps: new Float64Array(),
  absentDeletes: [],
};

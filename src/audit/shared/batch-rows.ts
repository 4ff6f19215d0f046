/** Value of an empty cell in a column of booleans. */
export const EMPTY_FLAG = 2;

/**
 * Rows of a batch. Numbers and times are NaN in empty cells, so that every comparison with one is false. The arrays are
 * valid until the next batch.
 */
export interface BatchRows {
  readonly rows: number;
  /** Number of rows in earlier batches. */
  readonly rowsBefore: number;
  /** Microseconds since the epoch. */
  readonly timestamps: Float64Array;
  readonly localTimestamps: Float64Array;
  /**
   * Of each row, the greatest local timestamp within the file's day up to this row; the start of the day before
   * there is one.
   */
  readonly clocks: Float64Array;
  /** Of each row, the number of its symbol, by first appearance in the file; -1 if the cell is empty. */
  readonly symbols: Int32Array;
  /** The values of a number column. */
  numbers(name: string): Float64Array;
  /** A text column as codes (`readTextCodes`). */
  codes(name: string, codes: Readonly<Record<string, number>>): Uint8Array;
  /** A boolean column: 1 is true, 0 is false, else `EMPTY_FLAG`. */
  flags(name: string): Uint8Array;
  /** Creates the error for a cell of a text column. */
  createTextError(name: string, row: number, problem: string): Error;
}

import type { TextColumn } from '../format/batch.js';

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
  /** A text column as codes: 0 for empty cells, `OTHER_CODE` for texts without a code. */
  codes(name: string, codes: Readonly<Record<string, number>>): Uint8Array;
  /** A boolean column: 1 is true, 0 is false, else `EMPTY_FLAG`. */
  flags(name: string): Uint8Array;
  /** Creates the error for a cell of a text column. */
  createTextError(name: string, row: number, problem: string): Error;
}

/** Code of texts without one. */
export const OTHER_CODE = 255;

/** Kinds of ids. */
export const ID_KIND = {
  empty: 0,
  /** 1 to 18 digits without a leading zero, so that equal numbers are equal texts. */
  number: 1,
  /** 1 to 18 digits with a leading zero. */
  padded: 2,
  text: 3,
} as const;

/** The last digits of an id, which `low` holds. */
export const LOW_LIMIT = 1_000_000_000;
const LOW_DIGITS = 9;
const MAX_DIGITS = 18;
const ZERO = 48;

/**
 * Ids of one batch as numbers: the value is `high * LOW_LIMIT + low`, since a double is exact only to 15 digits. The
 * arrays are reused for each batch.
 */
export class IdNumbers {
  /** Of each row, a value of `ID_KIND`. */
  kinds = new Uint8Array();
  high = new Float64Array();
  low = new Float64Array();

  /** Parses the ids of a batch. */
  parse(column: TextColumn, rows: number): void {
    if (this.kinds.length < rows) {
      this.kinds = new Uint8Array(rows);
      this.high = new Float64Array(rows);
      this.low = new Float64Array(rows);
    }
    const { kinds, high, low } = this;
    const { bytes, offsets } = column.encoding === 'dictionary' ? column.dictionary : column.text;
    const indices = column.encoding === 'dictionary' ? column.indices : undefined;
    const { nulls } = column;
    for (let row = 0; row < rows; row++) {
      kinds[row] = ID_KIND.empty;
      if (nulls?.[row] === 1) continue;
      const at = indices ? (indices[row] as number) : row;
      const start = offsets[at] as number;
      const end = offsets[at + 1] as number;
      kinds[row] = ID_KIND.text;
      if (end - start > MAX_DIGITS) continue;
      const middle = Math.max(start, end - LOW_DIGITS);
      const first = parseDigits(bytes, start, middle);
      const last = parseDigits(bytes, middle, end);
      if (first < 0 || last < 0) continue;
      high[row] = first;
      low[row] = last;
      kinds[row] = bytes[start] === ZERO && end - start > 1 ? ID_KIND.padded : ID_KIND.number;
    }
  }
}

/** The number that digits form, 0 without any; -1 if there are other bytes. */
function parseDigits(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let p = start; p < end; p++) {
    const digit = (bytes[p] as number) - ZERO;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

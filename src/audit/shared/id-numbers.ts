import type { TextColumn } from '../../format/batch.js';

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

/** Ids of one batch as numbers: the value is `high * LOW_LIMIT + low`, since a double is exact only to 15 digits. */
export interface IdNumbers {
  /** Of each row, a value of `ID_KIND`. */
  readonly kinds: Uint8Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
}

/** Parses the ids of a batch. */
export function parseIds(column: TextColumn, rows: number): IdNumbers {
  const kinds = new Uint8Array(rows);
  const high = new Float64Array(rows);
  const low = new Float64Array(rows);
  const { bytes, offsets } = column.encoding === 'dictionary' ? column.dictionary : column.text;
  const indices = column.encoding === 'dictionary' ? column.indices : undefined;
  const { nulls } = column;
  for (let row = 0; row < rows; row++) {
    if (nulls?.[row] === 1) continue;
    const at = indices ? (indices[row] as number) : row;
    const start = offsets[at] as number;
    const end = offsets[at + 1] as number;
    kinds[row] = ID_KIND.text;
    if (end - start > MAX_DIGITS) continue;
    const middle = Math.max(start, end - LOW_DIGITS);
    let value = 0;
    let isNumber = true;
    for (let p = start; p < middle; p++) {
      const digit = (bytes[p] as number) - ZERO;
      isNumber &&= digit >= 0 && digit <= 9;
      value = value * 10 + digit;
    }
    high[row] = value;
    value = 0;
    for (let p = middle; p < end; p++) {
      const digit = (bytes[p] as number) - ZERO;
      isNumber &&= digit >= 0 && digit <= 9;
      value = value * 10 + digit;
    }
    low[row] = value;
    if (isNumber) kinds[row] = bytes[start] === ZERO && end - start > 1 ? ID_KIND.padded : ID_KIND.number;
  }
  return { kinds, high, low };
}

import type { EncodedValues } from '../../parquet/column-chunk.js';
import { Encoding } from '../../parquet/format-constants.js';
import type { ValueBounds } from '../../parquet/statistics.js';
import type { ParquetExports } from '../parquet-exports.js';

/** A column's values without its nulls, and how they are written. */
export interface EncodableValues extends Pick<EncodedValues, 'encoding' | 'dictionary' | 'valueSize'> {
  readonly bounds: ValueBounds | undefined;
  /** How many bytes the values from `start` up to, not including, `endConversion` take at most. */
  readonly room: (start: number, end: number) => number;
  /** Writes them at an address; gives where they end. */
  readonly write: (out: number, start: number, end: number) => number;
}

/** With more distinct values than this share of all, a dictionary no longer makes the file smaller. */
export const MAX_DISTINCT_RATIO = 0.5;

/** Values by their positions in a dictionary of `size`. */
export function encodeDictionaryIndices(
  kernel: ParquetExports,
  indices: number,
  size: number,
): Pick<EncodableValues, 'encoding' | 'room' | 'write'> {
  // One value alone would need no bits; readers have been known to trip over a width of 0. None at all has 32.
  const width = Math.max(1, 32 - Math.clz32(size - 1));
  return {
    encoding: Encoding.rleDictionary,
    room: (start, end) => 4 + maxHybridBytes(end - start, width),
    write: (out, start, end) => kernel.writeIndices(out, indices, start, end, width),
  };
}

/** The most bytes that the RLE / bit-packing hybrid takes for so many values of a width in bits. */
export function maxHybridBytes(count: number, width: number): number {
  const groups = Math.ceil(count / 8) + 1;
  // Behind each run of nine or more, a header of its own, its value, and a header for the packed part after it.
  return groups * width + (Math.ceil(count / 9) + 2) * 14;
}

/** The most bytes that DELTA_BINARY_PACKED takes for so many values. */
export function maxDeltaBytes(count: number): number {
  const block = 10 + 4 + 128 * 8;
  return 64 + (Math.ceil(count / 128) + 1) * block;
}

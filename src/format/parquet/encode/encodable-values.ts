import type { TextEncodeExports } from '../../kernel/parquet-exports.js';
import type { EncodedValues } from '../column-chunk.js';
import { Encoding } from '../format-constants.js';
import type { ValueBounds } from '../statistics.js';

/** The values of a column without its nulls, and how to write them. */
export interface EncodableValues extends Pick<EncodedValues, 'encoding' | 'dictionary' | 'valueSize'> {
  readonly bounds: ValueBounds | undefined;
  /** Maximum size of the values from `start` up to, but not including, `end`, in bytes. */
  readonly room: (start: number, end: number) => number;
  /** Writes them at an address; returns the end. */
  readonly write: (out: number, start: number, end: number) => number;
}

/** With a greater share of distinct values, a dictionary does not reduce the size. */
export const MAX_DISTINCT_RATIO = 0.5;

/** Values as positions in a dictionary of `size` entries. */
export function encodeDictionaryIndices(
  kernel: TextEncodeExports,
  indices: number,
  size: number,
): Pick<EncodableValues, 'encoding' | 'room' | 'write'> {
  // A single value would need no bits, but some readers fail on a width of 0. An empty dictionary has width
  // 32.
  const width = Math.max(1, 32 - Math.clz32(size - 1));
  return {
    encoding: Encoding.rleDictionary,
    room: (start, end) => 4 + maxHybridBytes(end - start, width),
    write: (out, start, end) => kernel.writeIndices(out, indices, start, end, width),
  };
}

/** Maximum size in bytes of the RLE / bit-packing hybrid for `count` values of a width in bits. */
export function maxHybridBytes(count: number, width: number): number {
  const groups = Math.ceil(count / 8) + 1;
  // After each run of nine or more: its header, its value, and a header for the packed part after it.
  return groups * width + (Math.ceil(count / 9) + 2) * 14;
}

/** Maximum size in bytes of DELTA_BINARY_PACKED for `count` values. */
export function maxDeltaBytes(count: number): number {
  const block = 10 + 4 + 128 * 8;
  return 64 + (Math.ceil(count / 128) + 1) * block;
}

import { Encoding } from '../../parquet/format-constants.js';
import { booleanBounds, doubleBounds, longBounds } from '../../parquet/statistics.js';
import type { ColumnMemory } from '../column-memory.js';
import {
  type EncodableValues,
  encodeDictionaryIndices,
  MAX_DISTINCT_RATIO,
  maxDeltaBytes,
  maxHybridBytes,
} from './encodable-values.js';
import type { Scratch } from './scratch.js';

/** `formatInteger` doubles at an address. */
export function encodeNumbers(
  memory: ColumnMemory,
  scratch: Scratch,
  lane: number,
  count: number,
): EncodableValues {
  const { kernel } = memory;
  const dictionary = findDistinctValues(memory, scratch, lane, count, Math.floor(count * MAX_DISTINCT_RATIO));
  if (dictionary) kernel.findRange(dictionary.at, dictionary.size);
  else kernel.findRange(lane, count);
  const bounds = count > 0 ? doubleBounds(kernel.least.value, kernel.greatest.value) : undefined;
  if (dictionary) return { ...dictionary.values, bounds };
  return { encoding: Encoding.plain, dictionary: undefined, ...encodePlain(memory, lane), bounds };
}

/**
 * Times or other whole numbers, as doubles at an address, where they become integers. They mostly grow by little;
 * those that jump between a few (expirations of options) take a dictionary.
 */
export function encodeLongs(
  memory: ColumnMemory,
  scratch: Scratch,
  lane: number,
  count: number,
): EncodableValues {
  const { kernel } = memory;
  kernel.toLongs(lane, count);
  const min = kernel.least.value;
  const max = kernel.greatest.value;
  const bounds = count > 0 ? longBounds(min, max) : undefined;
  const isJumping = kernel.stepsBack.value * 8 >= count;
  const dictionary = isJumping
    ? findDistinctValues(memory, scratch, lane, count, Math.floor(count / 16))
    : undefined;
  if (dictionary) return { ...dictionary.values, bounds };
  if (!isDeltaSafe(min, max)) {
    return { encoding: Encoding.plain, dictionary: undefined, ...encodePlain(memory, lane), bounds };
  }
  return {
    encoding: Encoding.deltaBinaryPacked,
    dictionary: undefined,
    valueSize: 8,
    bounds,
    room: (start, end) => maxDeltaBytes(end - start),
    write: (out, start, end) => kernel.writeDeltaLongs(out, lane, start, end, count),
  };
}

/** Bytes of 0 and 1 at an address. */
export function encodeBooleans(
  memory: ColumnMemory,
  scratch: Scratch,
  lane: number,
  count: number,
): EncodableValues {
  const { kernel } = memory;
  const bits = scratch.indices.at(4 * count);
  kernel.widenBits(lane, bits, count, 0);
  return {
    encoding: Encoding.rle,
    dictionary: undefined,
    valueSize: 1,
    bounds: count > 0 ? booleanBounds(count, kernel.countOnes(lane, count)) : undefined,
    room: (start, end) => 4 + maxHybridBytes(end - start, 1),
    write: (out, start, end) => kernel.writeSizedBits(out, bits, start, end),
  };
}

/** The dictionary of eight-byte values, where it has no more than `most`. */
function findDistinctValues(
  memory: ColumnMemory,
  { indices, slots, distinct }: Scratch,
  lane: number,
  count: number,
  most: number,
): { at: number; size: number; values: Omit<EncodableValues, 'bounds'> } | undefined {
  const { kernel } = memory;
  const at = distinct.at(8 * most);
  const positions = indices.at(4 * count);
  const size = kernel.distinctDoubles(lane, count, most, slots.at(4 * (2048 + 4 * most)), at, positions);
  if (size < 0) return undefined;
  const dictionary = { bytes: memory.bytes.subarray(at, at + 8 * size), size };
  return {
    at,
    size,
    values: { dictionary, valueSize: 8, ...encodeDictionaryIndices(kernel, positions, size) },
  };
}

/** Eight bytes a value (PLAIN = 0), as they lie in memory. */
function encodePlain(
  memory: ColumnMemory,
  lane: number,
): Pick<EncodableValues, 'valueSize' | 'room' | 'write'> {
  return {
    valueSize: 8,
    room: (start, end) => 8 * (end - start),
    write(out, start, end) {
      memory.bytes.copyWithin(out, lane + 8 * start, lane + 8 * end);
      return out + 8 * (end - start);
    },
  };
}

/** Whether readers that count in doubles, as some do, come to the same integers from their differences. */
function isDeltaSafe(min: number, max: number): boolean {
  return min >= -(2 ** 52) && max <= 2 ** 52 && max - min <= 2 ** 51;
}

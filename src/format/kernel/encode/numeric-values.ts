import { Encoding } from '../../parquet/format.js';
import { booleanBounds, doubleBounds, longBounds } from '../../parquet/statistics.js';
import type { ColumnMemory } from '../column-memory.js';
import type { Scratch } from './scratch.js';
import { bitsRoom, deltaRoom, dictionaryIndices, MOST_DISTINCT, type Values } from './values.js';

/** `count` doubles at an address. */
export function numberValues(memory: ColumnMemory, scratch: Scratch, lane: number, count: number): Values {
  const { kernel } = memory;
  const dictionary = distinctValues(memory, scratch, lane, count, Math.floor(count * MOST_DISTINCT));
  if (dictionary) kernel.findRange(dictionary.at, dictionary.size);
  else kernel.findRange(lane, count);
  const bounds = count > 0 ? doubleBounds(kernel.least.value, kernel.greatest.value) : undefined;
  if (dictionary) return { ...dictionary.values, bounds };
  return { encoding: Encoding.plain, dictionary: undefined, ...plainValues(memory, lane), bounds };
}

/**
 * Times or other whole numbers, as doubles at an address, where they become integers. They mostly grow by little;
 * those that jump between a few (expirations of options) take a dictionary.
 */
export function longValues(memory: ColumnMemory, scratch: Scratch, lane: number, count: number): Values {
  const { kernel } = memory;
  kernel.toLongs(lane, count);
  const min = kernel.least.value;
  const max = kernel.greatest.value;
  const bounds = count > 0 ? longBounds(min, max) : undefined;
  const isJumping = kernel.stepsBack.value * 8 >= count;
  const dictionary = isJumping
    ? distinctValues(memory, scratch, lane, count, Math.floor(count / 16))
    : undefined;
  if (dictionary) return { ...dictionary.values, bounds };
  if (!isDeltaSafe(min, max)) {
    return { encoding: Encoding.plain, dictionary: undefined, ...plainValues(memory, lane), bounds };
  }
  return {
    encoding: Encoding.deltaBinaryPacked,
    dictionary: undefined,
    valueSize: 8,
    bounds,
    room: (start, end) => deltaRoom(end - start),
    write: (out, start, end) => kernel.writeDeltaLongs(out, lane, start, end, count),
  };
}

/** Bytes of 0 and 1 at an address. */
export function booleanValues(memory: ColumnMemory, scratch: Scratch, lane: number, count: number): Values {
  const { kernel } = memory;
  const bits = scratch.indices.at(4 * count);
  kernel.widenBits(lane, bits, count, 0);
  return {
    encoding: Encoding.rle,
    dictionary: undefined,
    valueSize: 1,
    bounds: count > 0 ? booleanBounds(count, kernel.countOnes(lane, count)) : undefined,
    room: (start, end) => 4 + bitsRoom(end - start, 1),
    write: (out, start, end) => kernel.writeSizedBits(out, bits, start, end),
  };
}

/** The dictionary of eight-byte values, where it has no more than `most`. */
function distinctValues(
  memory: ColumnMemory,
  { indices, slots, distinct }: Scratch,
  lane: number,
  count: number,
  most: number,
): { at: number; size: number; values: Omit<Values, 'bounds'> } | undefined {
  const { kernel } = memory;
  const at = distinct.at(8 * most);
  const positions = indices.at(4 * count);
  const size = kernel.distinctDoubles(lane, count, most, slots.at(4 * (2048 + 4 * most)), at, positions);
  if (size < 0) return undefined;
  const dictionary = { bytes: memory.bytes.subarray(at, at + 8 * size), size };
  return { at, size, values: { dictionary, valueSize: 8, ...dictionaryIndices(kernel, positions, size) } };
}

/** Eight bytes a value (PLAIN = 0), as they lie in memory. */
function plainValues(memory: ColumnMemory, lane: number): Pick<Values, 'valueSize' | 'room' | 'write'> {
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

import { type ColumnExports, type ColumnMemory, distinctSlotBytes } from '../columns/column-memory.js';
import {
  type EncodableValues,
  type EncodeMemory,
  encodeDictionaryIndices,
  MAX_DISTINCT_RATIO,
  maxDeltaBytes,
  maxHybridBytes,
  type Scratch,
} from './encode-texts.js';
import { Encoding } from './parquet-schema.js';
import { booleanBounds, doubleBounds, longBounds } from './parquet-writer.js';

/** Encodes doubles at an address. */
export function encodeNumbers(
  memory: ColumnMemory,
  scratch: Scratch,
  lane: number,
  count: number,
): EncodableValues {
  const { kernel } = memory;
  const values = { lane, count, width: 8, find: kernel.findDistinctDoubles };
  const dictionary = findDistinctValues(memory, scratch, values, Math.floor(count * MAX_DISTINCT_RATIO));
  if (dictionary) kernel.findRange(dictionary.at, dictionary.size);
  else kernel.findRange(lane, count);
  const bounds = count > 0 ? doubleBounds(kernel.minValue.value, kernel.maxValue.value) : undefined;
  if (dictionary) return { ...dictionary.values, bounds };
  return { encoding: Encoding.plain, dictionary: undefined, ...encodePlain(memory, lane, 8), bounds };
}

/**
 * Encodes times or other integers, stored as doubles at an address, and converts them to integers in place.
 * They usually grow in small steps; those that alternate between a few values (expirations of options) use a
 * dictionary.
 */
export function encodeLongs(
  memory: ColumnMemory,
  scratch: Scratch,
  lane: number,
  count: number,
  isPlain = false,
): EncodableValues {
  const { kernel } = memory;
  kernel.convertToLongs(lane, count);
  const min = kernel.minValue.value;
  const max = kernel.maxValue.value;
  const bounds = count > 0 ? longBounds(min, max) : undefined;
  const isJumping = kernel.stepsBack.value * 8 >= count;
  const dictionary = isJumping
    ? findDistinctValues(
        memory,
        scratch,
        { lane, count, width: 8, find: kernel.findDistinctDoubles },
        Math.floor(count / 16),
      )
    : undefined;
  if (dictionary) return { ...dictionary.values, bounds };
  if (isPlain || !isDeltaSafe(min, max)) {
    return { encoding: Encoding.plain, dictionary: undefined, ...encodePlain(memory, lane, 8), bounds };
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

/** Encodes bytes of 0 and 1 at an address: in runs, or as PLAIN bits, from the lowest. */
export function encodeBooleans(
  memory: ColumnMemory,
  scratch: Scratch,
  lane: number,
  count: number,
  isPlain = false,
): EncodableValues {
  const { kernel } = memory;
  const base = {
    dictionary: undefined,
    valueSize: 1,
    bounds: count > 0 ? booleanBounds(count, kernel.countOnes(lane, count)) : undefined,
  };
  if (isPlain) {
    return {
      ...base,
      encoding: Encoding.plain,
      room: (start, end) => 2 * Math.ceil((end - start) / 16),
      write(out, start, end) {
        kernel.packBooleans(lane + start, out, end - start, 0);
        return out + Math.ceil((end - start) / 8);
      },
    };
  }
  const bits = scratch.indices.at(4 * count);
  kernel.widenBits(lane, bits, count, 0);
  return {
    ...base,
    encoding: Encoding.rle,
    room: (start, end) => 4 + maxHybridBytes(end - start, 1),
    write: (out, start, end) => kernel.writeSizedBits(out, bits, start, end),
  };
}

/** Values of one width in bytes, at an address. */
interface FixedWidthValues {
  readonly lane: number;
  readonly count: number;
  readonly width: number;
  /** The function of the kernel that finds distinct values of this width. */
  readonly find: ColumnExports['findDistinctDoubles'];
}

/** Encodes values without bounds: with a dictionary if they repeat, else PLAIN. */
export function encodeFixedWidth(
  memory: EncodeMemory,
  scratch: Scratch,
  values: FixedWidthValues,
): EncodableValues {
  const { lane, count, width } = values;
  const maxDistinct = Math.floor(count * MAX_DISTINCT_RATIO);
  const dictionary = findDistinctValues(memory, scratch, values, maxDistinct);
  if (dictionary) return { ...dictionary.values, bounds: undefined };
  return {
    encoding: Encoding.plain,
    dictionary: undefined,
    ...encodePlain(memory, lane, width),
    bounds: undefined,
  };
}

/** The dictionary of values; undefined if it exceeds `maxDistinct`. */
function findDistinctValues(
  memory: EncodeMemory,
  { indices, slots, distinct }: Scratch,
  { lane, count, width, find }: FixedWidthValues,
  maxDistinct: number,
): { at: number; size: number; values: Omit<EncodableValues, 'bounds'> } | undefined {
  const at = distinct.at(width * maxDistinct);
  const positions = indices.at(4 * count);
  const size = find(lane, count, maxDistinct, slots.at(distinctSlotBytes(maxDistinct)), at, positions);
  if (size < 0) return undefined;
  const dictionary = { bytes: memory.bytes.subarray(at, at + width * size), size };
  return {
    at,
    size,
    values: { dictionary, valueSize: width, ...encodeDictionaryIndices(memory.kernel, positions, size) },
  };
}

/** The bytes of values as they are in memory (PLAIN = 0). */
function encodePlain(
  memory: EncodeMemory,
  lane: number,
  width: number,
): Pick<EncodableValues, 'valueSize' | 'room' | 'write'> {
  return {
    valueSize: width,
    room: (start, end) => width * (end - start),
    write(out, start, end) {
      memory.bytes.copyWithin(out, lane + width * start, lane + width * end);
      return out + width * (end - start);
    },
  };
}

/** Whether readers that compute in doubles, as some do, get the same integers from the differences. */
function isDeltaSafe(min: number, max: number): boolean {
  return min >= -(2 ** 52) && max <= 2 ** 52 && max - min <= 2 ** 51;
}

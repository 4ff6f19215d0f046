import { type ColumnMemory, distinctSlotBytes } from '../kernel/column-memory.js';
import {
  type EncodableValues,
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
  const dictionary = findDistinctValues(memory, scratch, lane, count, Math.floor(count * MAX_DISTINCT_RATIO));
  if (dictionary) kernel.findRange(dictionary.at, dictionary.size);
  else kernel.findRange(lane, count);
  const bounds = count > 0 ? doubleBounds(kernel.minValue.value, kernel.maxValue.value) : undefined;
  if (dictionary) return { ...dictionary.values, bounds };
  return { encoding: Encoding.plain, dictionary: undefined, ...encodePlain(memory, lane), bounds };
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
    ? findDistinctValues(memory, scratch, lane, count, Math.floor(count / 16))
    : undefined;
  if (dictionary) return { ...dictionary.values, bounds };
  if (isPlain || !isDeltaSafe(min, max)) {
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
      room: (start, end) => Math.ceil((end - start) / 8),
      write: (out, start, end) => packBits(memory.bytes, out, lane + start, end - start),
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

/** Packs bytes of 0 and 1 at an address to bits; returns the end. */
function packBits(bytes: Uint8Array, out: number, from: number, count: number): number {
  const end = out + Math.ceil(count / 8);
  bytes.fill(0, out, end);
  for (let i = 0; i < count; i++) {
    const at = out + (i >> 3);
    bytes[at] = (bytes[at] ?? 0) | ((bytes[from + i] ?? 0) << (i & 7));
  }
  return end;
}

/** The dictionary of eight-byte values; undefined if it exceeds `maxDistinct`. */
function findDistinctValues(
  memory: ColumnMemory,
  { indices, slots, distinct }: Scratch,
  lane: number,
  count: number,
  maxDistinct: number,
): { at: number; size: number; values: Omit<EncodableValues, 'bounds'> } | undefined {
  const { kernel } = memory;
  const at = distinct.at(8 * maxDistinct);
  const positions = indices.at(4 * count);
  const size = kernel.findDistinctDoubles(
    lane,
    count,
    maxDistinct,
    slots.at(distinctSlotBytes(maxDistinct)),
    at,
    positions,
  );
  if (size < 0) return undefined;
  const dictionary = { bytes: memory.bytes.subarray(at, at + 8 * size), size };
  return {
    at,
    size,
    values: { dictionary, valueSize: 8, ...encodeDictionaryIndices(kernel, positions, size) },
  };
}

/** Eight bytes per value (PLAIN = 0), as they are in memory. */
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

/** Whether readers that compute in doubles, as some do, get the same integers from the differences. */
function isDeltaSafe(min: number, max: number): boolean {
  return min >= -(2 ** 52) && max <= 2 ** 52 && max - min <= 2 ** 51;
}

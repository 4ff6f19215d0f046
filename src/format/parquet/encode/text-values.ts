import type { TextLocation } from '../../kernel/column-memory.js';
import { Encoding } from '../format-constants.js';
import { textBounds, type ValueBounds } from '../statistics.js';
import {
  type EncodableValues,
  encodeDictionaryIndices,
  MAX_DISTINCT_RATIO,
  maxDeltaBytes,
} from './encodable-values.js';
import type { EncodeMemory } from './encode-memory.js';
import type { Scratch } from './scratch.js';

/**
 * Encodes texts without nulls: with a dictionary if they repeat, else by their lengths or shared prefixes.
 * @param isPlain whether to use PLAIN in place of lengths and prefixes.
 */
export function encodeTexts(
  memory: EncodeMemory,
  scratch: Scratch,
  texts: TextLocation,
  isPlain = false,
): EncodableValues {
  const { kernel } = memory;
  const { bytes, offsets, count } = texts;
  const indices = scratch.indices.at(4 * count);
  const distinct = findDistinctTexts(memory, scratch, texts, indices);
  if (distinct) return encodeTextDictionary(memory, scratch, distinct, indices);
  const length = countTextBytes(memory, texts, 0, count);
  const base = {
    dictionary: undefined,
    valueSize: 4 + length / Math.max(count, 1),
    bounds: findTextBounds(memory, texts),
  };
  if (isPlain) {
    return {
      ...base,
      encoding: Encoding.plain,
      room: (start, end) => 4 * (end - start) + countTextBytes(memory, texts, start, end),
      write: (out, start, end) => kernel.writePlainText(out, bytes, offsets + 4 * start, end - start),
    };
  }
  // A shared prefix of one or two bytes saves nothing, since the length of the prefix is stored, too.
  const isIncremental = kernel.storeSharedPrefixes(bytes, offsets, count, indices) > count * 2;
  const lengths = (start: number, end: number): number => scratch.lengths.at(4 * (end - start));
  return {
    ...base,
    encoding: isIncremental ? Encoding.deltaByteArray : Encoding.deltaLengthByteArray,
    room(start, end) {
      lengths(start, end);
      return 2 * maxDeltaBytes(end - start) + countTextBytes(memory, texts, start, end);
    },
    write: (out, start, end) =>
      isIncremental
        ? kernel.writeDeltaText(out, bytes, offsets, indices, start, end, lengths(start, end))
        : kernel.writeDeltaLengthText(out, bytes, offsets, start, end, lengths(start, end)),
  };
}

/**
 * Encodes texts by their positions, 32-bit integers at an address. Each text of the dictionary must occur.
 */
export function encodeTextDictionary(
  memory: EncodeMemory,
  scratch: Scratch,
  dictionary: TextLocation,
  indices: number,
): EncodableValues {
  const { kernel } = memory;
  const { bytes, offsets, count } = dictionary;
  const bounds = findTextBounds(memory, dictionary);
  const out = scratch.body.at(4 * count + countTextBytes(memory, dictionary, 0, count));
  const end = kernel.writePlainText(out, bytes, offsets, count) >>> 0;
  return {
    dictionary: { bytes: memory.bytes.subarray(out, end), size: count },
    valueSize: 4,
    bounds,
    ...encodeDictionaryIndices(kernel, indices, count),
  };
}

/** The dictionary of texts, if it is small enough; stores the texts' positions at `indices`. */
function findDistinctTexts(
  memory: EncodeMemory,
  scratch: Scratch,
  texts: TextLocation,
  indices: number,
): TextLocation | undefined {
  const { kernel } = memory;
  const { bytes, offsets, count } = texts;
  const maxDistinct = Math.floor(count * MAX_DISTINCT_RATIO);
  const slotCount = 2 ** Math.ceil(Math.log2(Math.max(maxDistinct, 1) * 2));
  const slots = scratch.slots.at(4 * slotCount);
  const firsts = scratch.distinct.at(4 * maxDistinct);
  const size = kernel.findDistinctTexts(
    bytes,
    offsets,
    count,
    maxDistinct,
    slots,
    slotCount,
    firsts,
    indices,
  );
  if (size < 0) return undefined;
  const picked = scratch.texts.at(countTextBytes(memory, texts, 0, count));
  const distinctOffsets = scratch.offsets.at(4 * (size + 1));
  kernel.copyTexts(bytes, offsets, firsts, size, picked, distinctOffsets);
  return { bytes: picked, offsets: distinctOffsets, count: size };
}

function findTextBounds(
  memory: EncodeMemory,
  { bytes, offsets, count }: TextLocation,
): ValueBounds | undefined {
  if (count === 0) return undefined;
  const { kernel } = memory;
  kernel.findTextRange(bytes, offsets, count);
  const textAt = (i: number): Uint8Array => {
    const start = bytes + memory.readInt(offsets + 4 * i);
    // Copy: it is read after the memory has been reused.
    return new Uint8Array(memory.bytes.subarray(start, bytes + memory.readInt(offsets + 4 * (i + 1))));
  };
  return textBounds(textAt(kernel.minText.value), textAt(kernel.maxText.value));
}

/** Size of the texts from `start` up to, but not including, `end`. */
function countTextBytes(memory: EncodeMemory, { offsets }: TextLocation, start: number, end: number): number {
  return memory.readInt(offsets + 4 * end) - memory.readInt(offsets + 4 * start);
}

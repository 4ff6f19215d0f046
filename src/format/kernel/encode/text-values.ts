import { Encoding } from '../../parquet/format-constants.js';
import { textBounds, type ValueBounds } from '../../parquet/statistics.js';
import type { ColumnMemory, TextLocation } from '../column-memory.js';
import {
  type EncodableValues,
  encodeDictionaryIndices,
  MAX_DISTINCT_RATIO,
  maxDeltaBytes,
} from './encodable-values.js';
import type { Scratch } from './scratch.js';

/** Texts without nulls: by a dictionary where they repeat, else by their lengths or by what they share. */
export function encodeTexts(memory: ColumnMemory, scratch: Scratch, texts: TextLocation): EncodableValues {
  const { kernel } = memory;
  const { bytes, offsets, count } = texts;
  const indices = scratch.indices.at(4 * count);
  const distinct = findDistinctTexts(memory, scratch, texts, indices);
  if (distinct) return encodeTextDictionary(memory, scratch, distinct, indices);
  const length = textBytes(memory, texts, 0, count);
  // A shared byte or two costs as much as it saves: the lengths of the prefixes are stored too.
  const isIncremental = kernel.sharedPrefixes(bytes, offsets, count, indices) > count * 2;
  const lengths = (start: number, end: number): number => scratch.lengths.at(4 * (end - start));
  return {
    encoding: isIncremental ? Encoding.deltaByteArray : Encoding.deltaLengthByteArray,
    dictionary: undefined,
    valueSize: 4 + length / Math.max(count, 1),
    bounds: findTextBounds(memory, texts),
    room(start, end) {
      lengths(start, end);
      return 2 * maxDeltaBytes(end - start) + textBytes(memory, texts, start, end);
    },
    write: (out, start, end) =>
      isIncremental
        ? kernel.writeDeltaText(out, bytes, offsets, indices, start, end, lengths(start, end))
        : kernel.writeDeltaLengthText(out, bytes, offsets, start, end, lengths(start, end)),
  };
}

/** Texts by their positions, 32-bit integers at an address, in a dictionary in which each occurs. */
export function encodeTextDictionary(
  memory: ColumnMemory,
  scratch: Scratch,
  dictionary: TextLocation,
  indices: number,
): EncodableValues {
  const { kernel } = memory;
  const { bytes, offsets, count } = dictionary;
  const bounds = findTextBounds(memory, dictionary);
  const out = scratch.body.at(4 * count + textBytes(memory, dictionary, 0, count));
  const end = kernel.writePlainText(out, bytes, offsets, count) >>> 0;
  return {
    dictionary: { bytes: memory.bytes.subarray(out, end), size: count },
    valueSize: 4,
    bounds,
    ...encodeDictionaryIndices(kernel, indices, count),
  };
}

/** The dictionary of texts, where it is small enough; puts the texts' positions in it at `indices`. */
function findDistinctTexts(
  memory: ColumnMemory,
  scratch: Scratch,
  texts: TextLocation,
  indices: number,
): TextLocation | undefined {
  const { kernel } = memory;
  const { bytes, offsets, count } = texts;
  const most = Math.floor(count * MAX_DISTINCT_RATIO);
  const slotCount = 2 ** Math.ceil(Math.log2(Math.max(most, 1) * 2));
  const slots = scratch.slots.at(4 * slotCount);
  const firsts = scratch.distinct.at(4 * most);
  const size = kernel.distinctTexts(bytes, offsets, count, most, slots, slotCount, firsts, indices);
  if (size < 0) return undefined;
  const picked = scratch.texts.at(textBytes(memory, texts, 0, count));
  const pickedOffsets = scratch.offsets.at(4 * (size + 1));
  kernel.pickTexts(bytes, offsets, firsts, size, picked, pickedOffsets);
  return { bytes: picked, offsets: pickedOffsets, count: size };
}

function findTextBounds(
  memory: ColumnMemory,
  { bytes, offsets, count }: TextLocation,
): ValueBounds | undefined {
  if (count === 0) return undefined;
  const { kernel } = memory;
  kernel.findTextRange(bytes, offsets, count);
  const textAt = (i: number): Uint8Array => {
    const start = bytes + memory.intAt(offsets + 4 * i);
    // A copy: it is looked at when the row group is written.
    return new Uint8Array(memory.bytes.subarray(start, bytes + memory.intAt(offsets + 4 * (i + 1))));
  };
  return textBounds(textAt(kernel.leastText.value), textAt(kernel.greatestText.value));
}

/** How many bytes the texts from `start` up to, not including, `endConversion` have. */
function textBytes(memory: ColumnMemory, { offsets }: TextLocation, start: number, end: number): number {
  return memory.intAt(offsets + 4 * end) - memory.intAt(offsets + 4 * start);
}

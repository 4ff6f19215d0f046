import { ScratchRegion, type TextEncodeExports, type TextLocation } from '../columns/column-memory.js';
import { Encoding } from './parquet-schema.js';
import { type EncodedValues, textBounds, type ValueBounds } from './parquet-writer.js';

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

/** Memory of a kernel that encodes values. */
export interface EncodeMemory {
  readonly kernel: TextEncodeExports;
  /** The whole memory; becomes invalid when the memory grows. */
  readonly bytes: Buffer<ArrayBuffer>;
  /** Allocates a region. The slack after it may be read and written, too. */
  allocate(bytes: number): number;
  /** Reads the 32-bit integer at an address. */
  readInt(address: number): number;
}

/** Buffers for encoding a column, reused for the next one. */
export class Scratch {
  /** Body of a page or of a dictionary. */
  readonly body: ScratchRegion;
  /** A 32-bit integer per value: its position in a dictionary, or the length of its shared prefix. */
  readonly indices: ScratchRegion;
  /** Hash tables. */
  readonly slots: ScratchRegion;
  /** Values of a dictionary, or the positions of their first occurrence. */
  readonly distinct: ScratchRegion;
  /** Texts of a dictionary, their offsets, and the lengths of the texts of a page. */
  readonly texts: ScratchRegion;
  readonly offsets: ScratchRegion;
  readonly lengths: ScratchRegion;
  /** Definition levels of a page. */
  readonly levels: ScratchRegion;

  constructor(memory: EncodeMemory) {
    this.body = new ScratchRegion(memory);
    this.indices = new ScratchRegion(memory);
    this.slots = new ScratchRegion(memory);
    this.distinct = new ScratchRegion(memory);
    this.texts = new ScratchRegion(memory);
    this.offsets = new ScratchRegion(memory);
    this.lengths = new ScratchRegion(memory);
    this.levels = new ScratchRegion(memory);
  }
}

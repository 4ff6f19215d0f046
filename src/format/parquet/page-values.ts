import type { StepLimit } from '../file-content.js';
import type { DictionaryPage, PageSections } from './page-reader.js';
import { Encoding, PhysicalType } from './parquet-schema.js';

/** A value as it is stored. Integers are numbers if these are exact. */
export type RawValue = number | bigint | boolean | Buffer;

/** Physical type of a column. */
export interface ValueType {
  readonly physical: number;
  /** Bytes of a value, if the type is a byte array of fixed length. */
  readonly length: number;
  readonly isOptional: boolean;
}

/** Returns the next value of a page. */
type Next<Value> = () => Value;

/** The value at a position of a dictionary. @throws RangeError if there is none. */
export type Dictionary = (index: number) => RawValue;

/**
 * Reads the values of a page one after the other, null where there is none, without memory for all of them.
 * @returns a function to call `page.rows` times. It throws a RangeError at the end of the data.
 */
export function readPageValues(
  page: PageSections,
  type: ValueType,
  dictionary: Dictionary | undefined,
  steps: StepLimit,
): Next<RawValue | null> {
  const next = openValues(page, type, dictionary, steps);
  if (!type.isOptional) return next;
  const nextLevel = readRuns(page.levels, 1);
  return () => (nextLevel() === 0 ? null : next());
}

/** Opens a dictionary page. @throws RangeError if it has fewer values than it states. */
export function openDictionary({ values, size }: DictionaryPage, type: ValueType): Dictionary {
  const isText = type.physical === PhysicalType.byteArray;
  // The length of a text takes four bytes.
  const bytes = isText ? 4 : sizeOf(type);
  if (size > values.length / bytes) throw new RangeError(`a dictionary of ${size} values is cut off`);
  const read = fixedReader(type.physical, bytes);
  const valueAt = isText ? indexTexts(values, size) : (index: number) => read(values, index * bytes);
  return (index) => {
    if (index >= size) throw new RangeError('a value is not in its dictionary');
    return valueAt(index);
  };
}

function indexTexts(values: Buffer, size: number): Dictionary {
  const starts = new Uint32Array(size + 1);
  let at = 0;
  for (let i = 0; i < size; i++) {
    at += 4 + values.readUInt32LE(at);
    starts[i + 1] = at;
  }
  return (index) => slice(values, (starts[index] as number) + 4, starts[index + 1] as number);
}

function openValues(
  { encoding, values }: PageSections,
  type: ValueType,
  dictionary: Dictionary | undefined,
  steps: StepLimit,
): Next<RawValue> {
  switch (encoding) {
    case Encoding.plain:
      return readPlain(values, type);
    case Encoding.plainDictionary:
    case Encoding.rleDictionary:
      return readIndices(values, dictionary);
    case Encoding.rle: {
      const nextBit = readRuns(values.subarray(4), 1);
      return () => nextBit() === 1;
    }
    case Encoding.deltaBinaryPacked:
      return readDeltas(values, type.physical === PhysicalType.int32 ? 32 : 64).next;
    case Encoding.deltaLengthByteArray:
      return readDeltaLengthTexts(values);
    case Encoding.deltaByteArray:
      return readDeltaTexts(values, steps);
    case Encoding.byteStreamSplit:
      return readSplitStreams(values, type);
    default:
      throw new RangeError(`encoding ${encoding} is not supported`);
  }
}

const SIZES: Readonly<Record<number, number>> = {
  [PhysicalType.int32]: 4,
  [PhysicalType.float]: 4,
  [PhysicalType.int64]: 8,
  [PhysicalType.double]: 8,
  [PhysicalType.int96]: 12,
};

function sizeOf({ physical, length }: ValueType): number {
  const size = physical === PhysicalType.fixedLengthByteArray ? length : SIZES[physical];
  if (size === undefined || !(size > 0)) throw new RangeError(`values of type ${physical} are not supported`);
  return size;
}

function readPlain(bytes: Buffer, type: ValueType): Next<RawValue> {
  let at = 0;
  if (type.physical === PhysicalType.byteArray) {
    return () => {
      const start = at + 4;
      at = start + bytes.readUInt32LE(at);
      return slice(bytes, start, at);
    };
  }
  if (type.physical === PhysicalType.boolean) {
    return () => {
      const bit = at++;
      return ((bytes.readUInt8(bit >>> 3) >>> (bit & 7)) & 1) === 1;
    };
  }
  const size = sizeOf(type);
  const read = fixedReader(type.physical, size);
  return () => {
    const start = at;
    at += size;
    return read(bytes, start);
  };
}

function fixedReader(physical: number, size: number): (bytes: Buffer, at: number) => RawValue {
  if (physical === PhysicalType.int32) return (bytes, at) => bytes.readInt32LE(at);
  if (physical === PhysicalType.int64) return readLong;
  if (physical === PhysicalType.float) return (bytes, at) => bytes.readFloatLE(at);
  if (physical === PhysicalType.double) return (bytes, at) => bytes.readDoubleLE(at);
  return (bytes, at) => slice(bytes, at, at + size);
}

function readLong(bytes: Buffer, at: number): number | bigint {
  const high = bytes.readInt32LE(at + 4);
  if (high < -0x200000 || high >= 0x200000) return bytes.readBigInt64LE(at);
  return high * 2 ** 32 + bytes.readUInt32LE(at);
}

function slice(bytes: Buffer, start: number, end: number): Buffer {
  if (end > bytes.length) throw new RangeError('a value is outside of its page');
  return bytes.subarray(start, end);
}

/** BYTE_STREAM_SPLIT: first the first bytes of all values, then the second ones. */
function readSplitStreams(bytes: Buffer, type: ValueType): Next<RawValue> {
  const size = sizeOf(type);
  const read = fixedReader(type.physical, size);
  const count = Math.floor(bytes.length / size);
  let row = 0;
  return () => {
    const value = Buffer.alloc(size);
    for (let i = 0; i < size; i++) value[i] = bytes.readUInt8(i * count + row);
    row++;
    return read(value, 0);
  };
}

function readIndices(bytes: Buffer, dictionary: Dictionary | undefined): Next<RawValue> {
  // A page without values may be empty.
  const width = bytes.length === 0 ? 0 : bytes.readUInt8(0);
  const nextIndex = readRuns(bytes.subarray(1), width);
  if (!dictionary) throw new RangeError('a dictionary is missing');
  return () => dictionary(nextIndex());
}

/** Reads the RLE and bit-packing hybrid. @param width bits of a value. */
function readRuns(bytes: Buffer, width: number): Next<number> {
  if (width > 32) throw new RangeError(`values of ${width} bits`);
  if (width === 0) return () => 0;
  const reader = new BitReader(bytes);
  const valueBytes = Math.ceil(width / 8);
  let left = 0;
  let isPacked = false;
  let repeated = 0;
  return () => {
    while (left === 0) {
      const header = reader.varint();
      isPacked = header % 2 === 1;
      left = Math.floor(header / 2) * (isPacked ? 8 : 1);
      if (!isPacked) repeated = reader.bits(8 * valueBytes);
    }
    left--;
    return isPacked ? reader.bits(width) : repeated;
  };
}

/** Reads numbers of any number of bits, the lowest first. */
class BitReader {
  readonly #bytes: Buffer;
  #at = 0;
  #bit = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Bytes that were read, the last one perhaps in part. */
  get position(): number {
    return this.#bit === 0 ? this.#at : this.#at + 1;
  }

  /** Reads at most 32 bits. */
  bits(width: number): number {
    let value = 0;
    for (let done = 0; done < width; ) {
      const taken = Math.min(8 - this.#bit, width - done);
      value += ((this.#byte() >>> this.#bit) & ((1 << taken) - 1)) * 2 ** done;
      done += taken;
      this.#bit += taken;
      if (this.#bit === 8) {
        this.#bit = 0;
        this.#at++;
      }
    }
    return value;
  }

  longBits(width: number): number | bigint {
    const low = this.bits(Math.min(width, 32));
    return width <= 32 ? low : toExact((BigInt(this.bits(width - 32)) << 32n) + BigInt(low));
  }

  varint(): number {
    const value = this.longVarint();
    if (value >= 2 ** 32) throw new RangeError(`a count of ${value}`);
    return Number(value);
  }

  longVarint(): number | bigint {
    let value = 0n;
    for (let i = 0; i < 10; i++) {
      const byte = this.#byte();
      this.#at++;
      if (i === 0 && byte < 0x80) return byte;
      value |= BigInt(byte & 0x7f) << BigInt(7 * i);
      if (byte < 0x80) return toExact(value);
    }
    throw new RangeError('an integer of more than ten bytes');
  }

  longZigzag(): number | bigint {
    const value = BigInt(this.longVarint());
    return toExact((value >> 1n) ^ -(value & 1n));
  }

  skipBits(count: number): void {
    const end = this.#at * 8 + this.#bit + count;
    this.#at = Math.floor(end / 8);
    this.#bit = end % 8;
    if (this.position > this.#bytes.length) throw new RangeError('unexpected end of data');
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new RangeError('unexpected end of data');
    return byte;
  }
}

function toExact(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

interface Deltas {
  readonly next: Next<number | bigint>;
  /** Number of values. */
  readonly count: number;
  /** Passes over all values; returns the address after them. */
  readonly skip: () => number;
}

const MAX_DELTA_BLOCK = 1024 * 1024;

/** Reads DELTA_BINARY_PACKED integers. @param bits 32 or 64. */
function readDeltas(bytes: Buffer, bits: number): Deltas {
  const reader = new BitReader(bytes);
  const blockSize = reader.varint();
  const miniblocks = reader.varint();
  const count = reader.varint();
  const miniblockSize = blockSize / miniblocks;
  if (blockSize > MAX_DELTA_BLOCK || miniblocks > blockSize || miniblockSize % 8 !== 0)
    throw new RangeError(`a block of ${blockSize} values in ${miniblocks} parts`);
  let value = reader.longZigzag();
  let delivered = 0;
  let minDelta: number | bigint = 0;
  let widths: readonly number[] = [];
  let leftInMiniblock = 0;
  let width = 0;

  const startMiniblock = (): void => {
    if (widths.length === 0) {
      minDelta = reader.longZigzag();
      widths = Array.from({ length: miniblocks }, () => reader.bits(8));
    }
    [width = 0] = widths;
    widths = widths.slice(1);
    if (width > 64) throw new RangeError(`deltas of ${width} bits`);
    leftInMiniblock = miniblockSize;
  };
  const next = (): number | bigint => {
    if (delivered === count) throw new RangeError('unexpected end of data');
    if (delivered++ === 0) return value;
    if (leftInMiniblock === 0) startMiniblock();
    leftInMiniblock--;
    value = wrap(add(add(value, minDelta), reader.longBits(width)), bits);
    return value;
  };
  const skip = (): number => {
    for (let left = count - 1; left > 0; left -= miniblockSize) {
      startMiniblock();
      reader.skipBits(miniblockSize * width);
    }
    return reader.position;
  };
  return { next, count, skip };
}

function add(a: number | bigint, b: number | bigint): number | bigint {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return BigInt(a) + BigInt(b);
}

/** Deltas wrap around, as sums of this many bits do. */
function wrap(value: number | bigint, bits: number): number | bigint {
  if (typeof value === 'number') return bits === 32 ? value | 0 : value;
  return toExact(BigInt.asIntN(bits, value));
}

/** DELTA_LENGTH_BYTE_ARRAY: the lengths, then the texts. */
function readDeltaLengthTexts(bytes: Buffer): Next<Buffer> {
  let at = readDeltas(bytes, 32).skip();
  const { next } = readDeltas(bytes, 32);
  return () => {
    const start = at;
    at += Math.max(0, Number(next()));
    return slice(bytes, start, at);
  };
}

/** DELTA_BYTE_ARRAY: how much each text shares with the previous one, and what follows. */
function readDeltaTexts(bytes: Buffer, steps: StepLimit): Next<Buffer> {
  const suffixesAt = readDeltas(bytes, 32).skip();
  const { next: nextPrefix } = readDeltas(bytes, 32);
  const nextSuffix = readDeltaLengthTexts(bytes.subarray(suffixesAt));
  let previous = Buffer.alloc(0);
  return () => {
    const length = Number(nextPrefix());
    if (length < 0 || length > previous.length)
      throw new RangeError('a text has more in common than there is');
    // Each text may be as long as the page.
    steps.take(length / 8);
    previous = Buffer.concat([previous.subarray(0, length), nextSuffix()]);
    return previous;
  };
}

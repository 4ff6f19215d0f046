// Writes integers of variable width.
import { copy } from '../../assembly/bytes';

/** Writes seven bits per byte, lowest first (ULEB128); returns the end. */
// @ts-ignore: decorator
@inline
function writeVarint(out: usize, value: u64): usize {
  for (; value >= 0x80; value >>= 7) store<u8>(out++, <u8>value | 0x80);
  store<u8>(out, <u8>value);
  return out + 1;
}

/** Writes a signed integer so that small ones are short: 0, -1, 1, -2 become 0, 1, 2, 3. */
// @ts-ignore: decorator
@inline
function writeZigzag(out: usize, value: i64): usize {
  return writeVarint(out, <u64>((value << 1) ^ (value >> 63)));
}

/**
 * Packs 32-bit values with `width` bits each (1 to 32), lowest bit first, padded with zeros to a multiple of
 * eight values; returns the end.
 */
function packBits(out: usize, values: usize, start: i32, end: i32, width: i32): usize {
  const stop = out + <usize>((end - start + 7) >> 3) * width;
  let word: u64 = 0;
  let filled = 0;
  for (let i = start; i < end; i++) {
    word |= <u64>load<u32>(values + (<usize>i << 2)) << filled;
    filled += width;
    if (filled >= 32) {
      store<u32>(out, <u32>word);
      out += 4;
      word >>= 32;
      filled -= 32;
    }
  }
  for (; filled > 0; filled -= 8) {
    store<u8>(out++, <u8>word);
    word >>= 8;
  }
  memory.fill(out, 0, stop - out);
  return stop;
}

/**
 * Like `packBits`, for `count` 64-bit values of up to 64 bits; all their bits must fill whole 32-bit words.
 */
function packWideBits(out: usize, values: usize, count: i32, width: i32): usize {
  let word: u64 = 0;
  let filled = 0;
  for (let i = 0; i < count; i++) {
    const value = load<u64>(values + (<usize>i << 3));
    word |= value << filled;
    filled += width;
    if (filled >= 64) {
      store<u64>(out, word);
      out += 8;
      filled -= 64;
      word = filled == 0 ? 0 : value >> (width - filled);
    }
  }
  if (filled > 0) store<u32>(out, <u32>word);
  return out + (filled >> 3);
}

// The RLE / bit-packing hybrid (https://github.com/apache/parquet-format/blob/master/Encodings.md, RLE = 3):
// long runs of one value are runs, and everything between them is bit-packed in groups of eight.

/** Writes 32-bit values of 1 to 31 bits; returns the end. */
function writeRle(out: usize, values: usize, start: i32, end: i32, width: i32): usize {
  const minRun = minRunLength(width);
  let packedFrom = start;
  let i = start;
  while (i + minRun <= end) {
    // Search backwards from the end of the shortest run: most values are then never read.
    const value = load<i32>(values + (<usize>(i + minRun - 1) << 2));
    let runStart = i + minRun - 1;
    while (runStart > i && load<i32>(values + (<usize>(runStart - 1) << 2)) == value) runStart--;
    if (runStart > i) {
      i = runStart;
      continue;
    }
    i = findRunEnd(values, i + minRun, end, value);
    // Only the last packed part may be padded, so the run gives some of its values to the part before it.
    runStart += (8 - ((runStart - packedFrom) & 7)) & 7;
    out = writePacked(out, values, packedFrom, runStart, width);
    out = writeRun(out, value, i - runStart, width);
    packedFrom = i;
  }
  return writePacked(out, values, packedFrom, end, width);
}

/** Writes positions in a dictionary, after their width. */
export function writeIndices(out: usize, values: usize, start: i32, end: i32, width: i32): usize {
  store<u8>(out, <u8>width);
  return writeRle(out + 1, values, start, end, width);
}

/** Writes values of one bit, after their size in four bytes, as levels and booleans require. */
export function writeSizedBits(out: usize, values: usize, start: i32, end: i32): usize {
  const stop = writeRle(out + 4, values, start, end, 1);
  store<u32>(out, <u32>(stop - out - 4));
  return stop;
}

/** Like `writeSizedBits`, if all values are 1. */
export function writeSizedOnes(out: usize, count: i32): usize {
  const stop = writeRun(out + 4, 1, count, 1);
  store<u32>(out, <u32>(stop - out - 4));
  return stop;
}

/** Writes a run of `count` equal values. */
function writeRun(out: usize, value: i32, count: i32, width: i32): usize {
  out = writeVarint(out, <u64>count << 1);
  for (let shift = 0; shift < width; shift += 8) store<u8>(out++, <u8>(value >> shift));
  return out;
}

function findRunEnd(values: usize, from: i32, end: i32, value: i32): i32 {
  const all = i32x4.splat(value);
  let i = from;
  while (i + 4 <= end && i32x4.all_true(i32x4.eq(v128.load(values + (<usize>i << 2)), all))) i += 4;
  while (i < end && load<i32>(values + (<usize>i << 2)) == value) i++;
  return i;
}

/**
 * Minimum length of a run. A run costs its header, its value, and a header for the packed part after it.
 * Shorter runs are bit-packed, since packed bits without interruptions compress better.
 */
function minRunLength(width: i32): i32 {
  return 8 + (8 * (3 + ((width + 7) >> 3)) + width - 1) / width;
}

function writePacked(out: usize, values: usize, start: i32, end: i32, width: i32): usize {
  if (start == end) return out;
  out = writeVarint(out, (((<u64>(end - start) + 7) >> 3) << 1) | 1);
  return packBits(out, values, start, end, width);
}

// Writes integers as differences (https://github.com/apache/parquet-format/blob/master/Encodings.md,
// DELTA_BINARY_PACKED = 5): each block of 128 has its minimum difference, and the differences above it,
// packed with the width that each quarter of the block needs.

const BLOCK: i32 = 128;
const MINIBLOCKS: i32 = 4;
const MINIBLOCK: i32 = 32;

/** The differences of one block. */
const steps: usize = memory.data(128 * 8, 16);

/**
 * Writes 64-bit integers whose differences, and the differences of those, fit into 64 bits; returns the end.
 * @param count number of all values. A page without values begins with the value after it, if there is one.
 */
export function writeDeltaLongs(out: usize, values: usize, start: i32, end: i32, count: i32): usize {
  return writeDelta<i64>(out, values, start, end, start < count);
}

/** Like `writeDeltaLongs`, for 32-bit integers. */
export function writeDeltaIntegers(out: usize, values: usize, start: i32, end: i32): usize {
  return writeDelta<i32>(out, values, start, end, start < end);
}

function writeDelta<T>(out: usize, values: usize, start: i32, end: i32, hasFirst: bool): usize {
  out = writeVarint(out, BLOCK);
  out = writeVarint(out, MINIBLOCKS);
  out = writeVarint(out, end - start);
  out = writeZigzag(out, hasFirst ? <i64>load<T>(values + <usize>start * sizeof<T>()) : 0);
  for (let block = start + 1; block < end; block += BLOCK) {
    const count = min(BLOCK, end - block);
    out = writeBlock(out, count, storeSteps<T>(values, block, count));
  }
  return out;
}

/** Stores a block's differences in `steps`; returns the minimum. */
// @ts-ignore: decorator
@inline
function storeSteps<T>(values: usize, start: i32, count: i32): i64 {
  let minimum = i64.MAX_VALUE;
  const from = values + <usize>start * sizeof<T>();
  let previous = <i64>load<T>(from - sizeof<T>());
  for (let i = 0; i < count; i++) {
    const value = <i64>load<T>(from + <usize>i * sizeof<T>());
    const step = value - previous;
    previous = value;
    if (step < minimum) minimum = step;
    store<i64>(steps + (<usize>i << 3), step);
  }
  return minimum;
}

function writeBlock(out: usize, count: i32, minimum: i64): usize {
  out = writeZigzag(out, minimum);
  const widths = out;
  store<u32>(widths, 0);
  out += MINIBLOCKS;
  for (let i = count; i & (MINIBLOCK - 1); i++) store<i64>(steps + (<usize>i << 3), minimum);
  for (let from = 0; from < count; from += MINIBLOCK) {
    const miniblock = steps + (<usize>from << 3);
    const width = 64 - <i32>clz(subtractMinimum(miniblock, minimum));
    store<u8>(widths + from / MINIBLOCK, <u8>width);
    if (width != 0) out = packWideBits(out, miniblock, MINIBLOCK, width);
  }
  return out;
}

/** Subtracts the minimum from a miniblock's differences; returns the union of their bits. */
// @ts-ignore: decorator
@inline
function subtractMinimum(miniblock: usize, minimum: i64): u64 {
  const minimums = i64x2.splat(minimum);
  let all = i64x2.splat(0);
  for (let at = miniblock; at < miniblock + (MINIBLOCK << 3); at += 16) {
    const above = i64x2.sub(v128.load(at), minimums);
    v128.store(at, above);
    all = v128.or(all, above);
  }
  return i64x2.extract_lane(all, 0) | i64x2.extract_lane(all, 1);
}

// Removes nulls from columns, as Parquet stores them, in place.

/** Removes nulls from values of `size` bytes each; returns the number of remaining values. */
export function dropNulls(values: usize, nulls: usize, rows: i32, size: i32): i32 {
  if (size == 8) return dropValues<u64>(values, nulls, rows);
  return size == 4 ? dropValues<u32>(values, nulls, rows) : dropValues<u8>(values, nulls, rows);
}

function dropValues<T>(values: usize, nulls: usize, rows: i32): i32 {
  let to = values;
  for (let row = 0; row < rows; row++) {
    store<T>(to, load<T>(values + <usize>row * sizeof<T>()));
    to += load<u8>(nulls + row) == 0 ? sizeof<T>() : 0;
  }
  return <i32>((to - values) / sizeof<T>());
}

/** Removes nulls from the offsets of texts. A null has no bytes, so only its offset is removed. */
export function dropNullTexts(offsets: usize, nulls: usize, rows: i32): i32 {
  const end = load<i32>(offsets + (<usize>rows << 2));
  const count = dropValues<u32>(offsets, nulls, rows);
  store<i32>(offsets + (<usize>count << 2), end);
  return count;
}

/** Widens bytes of 0 and 1 to 32-bit values; inverted if `flip` is 1. */
export function widenBits(bytes: usize, out: usize, count: i32, flip: i32): void {
  const flips = i8x16.splat(<i8>flip);
  for (let i: i32 = 0; i < count; i += 16) {
    const bits = v128.xor(v128.load(bytes + i), flips);
    const low = i16x8.extend_low_i8x16_u(bits);
    const high = i16x8.extend_high_i8x16_u(bits);
    const to = out + (<usize>i << 2);
    v128.store(to, i32x4.extend_low_i16x8_u(low));
    v128.store(to, i32x4.extend_high_i16x8_u(low), 16);
    v128.store(to, i32x4.extend_low_i16x8_u(high), 32);
    v128.store(to, i32x4.extend_high_i16x8_u(high), 48);
  }
}

/** Counts the bytes that are 1. */
export function countOnes(bytes: usize, count: i32): i32 {
  let ones = 0;
  for (let i: i32 = 0; i < count; i++) ones += load<u8>(bytes + i);
  return ones;
}

// Values without an encoding, as Arrow has them: bits for booleans, and texts with offsets.

const MAX_OFFSET: i64 = 2147483647;

/** Packs bytes of 0 and 1 to bits, lowest first, padded with 0 to 16; inverted if `flip` is 1. */
export function packBooleans(bytes: usize, out: usize, count: i32, flip: i32): void {
  const flips = i8x16.splat(<i8>flip);
  for (let i: i32 = 0; i < count; i += 16) {
    const bits = i8x16.bitmask(i8x16.ne(v128.load(bytes + i), flips));
    const rest = count - i;
    store<u16>(out + (i >> 3), <u16>(rest < 16 ? bits & ((1 << rest) - 1) : bits));
  }
}

/**
 * Stores the offsets of the texts that `indices` select from a dictionary, one a row; nulls are empty. Returns the
 * total size, or -1 if it does not fit into 32 bits.
 * @param nulls a byte a row, 1 if it is null; 0 without nulls.
 */
export function storeOffsets(offsets: usize, indices: usize, nulls: usize, rows: i32, out: usize): i32 {
  let end: i64 = 0;
  store<i32>(out, 0);
  for (let row = 0; row < rows; row++) {
    if (nulls == 0 || load<u8>(nulls + row) == 0) {
      const offset = offsets + (<usize>load<i32>(indices + (<usize>row << 2)) << 2);
      end += load<i32>(offset, 4) - load<i32>(offset);
      if (end > MAX_OFFSET) return -1;
    }
    store<i32>(out + (<usize>(row + 1) << 2), <i32>end);
  }
  return <i32>end;
}

/** Copies the texts that `indices` select to `to`, at the offsets from `storeOffsets`. */
export function gatherTexts(
  bytes: usize,
  offsets: usize,
  indices: usize,
  rows: i32,
  to: usize,
  toOffsets: usize,
): void {
  for (let row = 0; row < rows; row++) {
    const at = load<i32>(toOffsets + (<usize>row << 2));
    const length = load<i32>(toOffsets + (<usize>(row + 1) << 2)) - at;
    if (length == 0) continue;
    const index = load<i32>(indices + (<usize>row << 2));
    copy(to + at, bytes + load<i32>(offsets + (<usize>index << 2)), length);
  }
}

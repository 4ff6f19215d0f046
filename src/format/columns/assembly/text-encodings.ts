// Texts of a column chunk: another attempt at a dictionary, PLAIN bytes, minimum and maximum.
import { sharedLength } from '../../assembly/bytes';
import { writeDeltaIntegers } from './encodings';
import { isMostlyDistinct } from './numbers';
import { firstBytes, hashText, isSame, secondBytes } from './texts';

/**
 * Stores the position of each distinct text's first occurrence at `firsts`, and each text's position among
 * them at `indices`. Returns their number; -1 if it exceeds `maxDistinct`.
 * @param slotCount a power of two above `maxDistinct`.
 */
export function findDistinctTexts(
  bytes: usize,
  offsets: usize,
  count: i32,
  maxDistinct: i32,
  slots: usize,
  slotCount: i32,
  firsts: usize,
  indices: usize,
): i32 {
  memory.fill(slots, 0, <usize>slotCount << 2);
  const mask = slotCount - 1;
  let size = 0;
  for (let i = 0; i < count; i++) {
    const offset = load<i32>(offsets + (<usize>i << 2));
    const length = load<i32>(offsets + (<usize>(i + 1) << 2)) - offset;
    const p = bytes + offset;
    const hash = hashText(firstBytes(p, length), secondBytes(p, length), p, length);
    let slot = <i32>(hash >> 7) & mask;
    let index = load<i32>(slots + (<usize>slot << 2)) - 1;
    while (index >= 0 && !isText(bytes, offsets, load<i32>(firsts + (<usize>index << 2)), p, length)) {
      slot = (slot + 1) & mask;
      index = load<i32>(slots + (<usize>slot << 2)) - 1;
    }
    if (index < 0) {
      if (size == maxDistinct || isMostlyDistinct(size, i)) return -1;
      index = size++;
      store<i32>(slots + (<usize>slot << 2), size);
      store<i32>(firsts + (<usize>index << 2), i);
    }
    store<i32>(indices + (<usize>i << 2), index);
  }
  return size;
}

// @ts-ignore: decorator
@inline
function isText(bytes: usize, offsets: usize, i: i32, p: usize, length: i32): bool {
  const offset = load<i32>(offsets + (<usize>i << 2));
  if (load<i32>(offsets + (<usize>(i + 1) << 2)) - offset != length) return false;
  return isSame(bytes + offset, p, length);
}

/** Copies the texts at the positions `picked`, with their offsets, to `toBytes` and `toOffsets`. */
export function copyTexts(
  bytes: usize,
  offsets: usize,
  picked: usize,
  count: i32,
  toBytes: usize,
  toOffsets: usize,
): void {
  let at = 0;
  store<i32>(toOffsets, 0);
  for (let i = 0; i < count; i++) {
    const offset = offsets + (<usize>load<i32>(picked + (<usize>i << 2)) << 2);
    const from = load<i32>(offset);
    const length = load<i32>(offset, 4) - from;
    memory.copy(toBytes + at, bytes + from, length);
    at += length;
    store<i32>(toOffsets + (<usize>(i + 1) << 2), at);
  }
}

/** Writes each text after its length in four bytes (PLAIN = 0); returns the end. */
export function writePlainText(out: usize, bytes: usize, offsets: usize, count: i32): usize {
  for (let i = 0; i < count; i++) {
    const offset = load<i32>(offsets + (<usize>i << 2));
    const length = load<i32>(offsets + (<usize>(i + 1) << 2)) - offset;
    store<u32>(out, length);
    out += 4;
    memory.copy(out, bytes + offset, length);
    out += length;
  }
  return out;
}

/** Positions of the minimum and maximum text of the last call, in byte order. */
export let minText: i32 = 0;
export let maxText: i32 = 0;

/** Finds the minimum and maximum of at least one text. */
export function findTextRange(bytes: usize, offsets: usize, count: i32): void {
  minText = 0;
  maxText = 0;
  let minPrefix = loadPrefix(bytes, offsets, 0);
  let maxPrefix = minPrefix;
  for (let i = 1; i < count; i++) {
    const prefix = loadPrefix(bytes, offsets, i);
    if (prefix < minPrefix || (prefix == minPrefix && isLess(bytes, offsets, i, minText))) {
      minPrefix = prefix;
      minText = i;
    } else if (prefix > maxPrefix || (prefix == maxPrefix && isLess(bytes, offsets, maxText, i))) {
      maxPrefix = prefix;
      maxText = i;
    }
  }
}

/** The first eight bytes as a number with the same order; a shorter text is padded with zeros. */
// @ts-ignore: decorator
@inline
function loadPrefix(bytes: usize, offsets: usize, i: i32): u64 {
  const offset = load<i32>(offsets + (<usize>i << 2));
  const length = load<i32>(offsets + (<usize>(i + 1) << 2)) - offset;
  return bswap<u64>(firstBytes(bytes + offset, length));
}

function isLess(bytes: usize, offsets: usize, a: i32, b: i32): bool {
  const offsetA = load<i32>(offsets + (<usize>a << 2));
  const offsetB = load<i32>(offsets + (<usize>b << 2));
  const lengthA = load<i32>(offsets + (<usize>(a + 1) << 2)) - offsetA;
  const lengthB = load<i32>(offsets + (<usize>(b + 1) << 2)) - offsetB;
  const shorter = min(lengthA, lengthB);
  for (let i: i32 = 0; i < shorter; i += 16) {
    const same = i8x16.eq(v128.load(bytes + offsetA + i), v128.load(bytes + offsetB + i));
    const different = i8x16.bitmask(same) ^ 0xffff;
    if (different == 0) continue;
    const at = i + ctz(different);
    if (at >= shorter) break;
    return load<u8>(bytes + offsetA + at) < load<u8>(bytes + offsetB + at);
  }
  return lengthA < lengthB;
}

// Writes texts with delta encodings (https://github.com/apache/parquet-format/blob/master/Encodings.md).

/** Stores, for each text, the length of the prefix that it shares with the previous text; returns the sum. */
export function storeSharedPrefixes(bytes: usize, offsets: usize, count: i32, prefixes: usize): i32 {
  let sum = 0;
  store<i32>(prefixes, 0);
  for (let i = 1; i < count; i++) {
    const offset = offsets + (<usize>i << 2);
    const previous = load<i32>(offset - 4);
    const from = load<i32>(offset);
    const maxLength = min(from - previous, load<i32>(offset, 4) - from);
    const shared = min(maxLength, sharedLength(bytes + previous, bytes + from, maxLength));
    store<i32>(prefixes + (<usize>i << 2), shared);
    sum += shared;
  }
  return sum;
}

/**
 * Writes all lengths, then all bytes (DELTA_LENGTH_BYTE_ARRAY = 6).
 * @param lengths buffer for as many integers.
 */
export function writeDeltaLengthText(
  out: usize,
  bytes: usize,
  offsets: usize,
  start: i32,
  end: i32,
  lengths: usize,
): usize {
  for (let i = start; i < end; i++) {
    const offset = offsets + (<usize>i << 2);
    store<i32>(lengths + (<usize>(i - start) << 2), load<i32>(offset, 4) - load<i32>(offset));
  }
  out = writeDeltaIntegers(out, lengths, 0, end - start);
  const from = load<i32>(offsets + (<usize>start << 2));
  const length = load<i32>(offsets + (<usize>end << 2)) - from;
  memory.copy(out, bytes + from, length);
  return out + length;
}

/**
 * Writes the shared prefix of each text and the previous one on the page, then the rest (DELTA_BYTE_ARRAY =
 * 7).
 */
export function writeDeltaText(
  out: usize,
  bytes: usize,
  offsets: usize,
  prefixes: usize,
  start: i32,
  end: i32,
  lengths: usize,
): usize {
  if (start < end) store<i32>(prefixes + (<usize>start << 2), 0);
  out = writeDeltaIntegers(out, prefixes, start, end);
  for (let i = start; i < end; i++) {
    const offset = offsets + (<usize>i << 2);
    const length = load<i32>(offset, 4) - load<i32>(offset) - load<i32>(prefixes + (<usize>i << 2));
    store<i32>(lengths + (<usize>(i - start) << 2), length);
  }
  out = writeDeltaIntegers(out, lengths, 0, end - start);
  for (let i = start; i < end; i++) {
    const length = load<i32>(lengths + (<usize>(i - start) << 2));
    const from = bytes + load<i32>(offsets + (<usize>(i + 1) << 2)) - length;
    for (let at: i32 = 0; at < length; at += 16) v128.store(out + at, v128.load(from + at));
    out += length;
  }
  return out;
}

// Writes texts with delta encodings (https://github.com/apache/parquet-format/blob/master/Encodings.md).
import { writeDeltaIntegers } from './delta';

/** Stores, for each text, the length of the prefix that it shares with the previous text; returns the sum. */
export function storeSharedPrefixes(bytes: usize, offsets: usize, count: i32, prefixes: usize): i32 {
  let sum = 0;
  store<i32>(prefixes, 0);
  for (let i = 1; i < count; i++) {
    const offset = offsets + (<usize>i << 2);
    const previous = load<i32>(offset - 4);
    const from = load<i32>(offset);
    const maxLength = min(from - previous, load<i32>(offset, 4) - from);
    const shared = sharedLength(bytes + previous, bytes + from, maxLength);
    store<i32>(prefixes + (<usize>i << 2), shared);
    sum += shared;
  }
  return sum;
}

// @ts-ignore: decorator
@inline
function sharedLength(a: usize, b: usize, maxLength: i32): i32 {
  let shared: i32 = 0;
  for (; shared < maxLength; shared += 16) {
    const different = i8x16.bitmask(i8x16.eq(v128.load(a + shared), v128.load(b + shared))) ^ 0xffff;
    if (different != 0) return min(maxLength, shared + ctz(different));
  }
  return maxLength;
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

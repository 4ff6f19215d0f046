// Writes integers of variable width.

/** Writes seven bits per byte, lowest first (ULEB128); returns the end. */
// @ts-ignore: decorator
@inline
export function writeVarint(out: usize, value: u64): usize {
  for (; value >= 0x80; value >>= 7) store<u8>(out++, <u8>value | 0x80);
  store<u8>(out, <u8>value);
  return out + 1;
}

/** Writes a signed integer so that small ones are short: 0, -1, 1, -2 become 0, 1, 2, 3. */
// @ts-ignore: decorator
@inline
export function writeZigzag(out: usize, value: i64): usize {
  return writeVarint(out, <u64>((value << 1) ^ (value >> 63)));
}

/**
 * Packs 32-bit values with `width` bits each (1 to 32), lowest bit first, padded with zeros to a multiple of
 * eight values; returns the end.
 */
export function packBits(out: usize, values: usize, start: i32, end: i32, width: i32): usize {
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
export function packWideBits(out: usize, values: usize, count: i32, width: i32): usize {
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

// Compresses blocks of LZ4: https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md

/** Entries of the table of last positions, by a hash of five bytes. */
const HASH_BITS: u64 = 14;
const HASH_PRIME: u64 = 889523592379;
const MIN_MATCH: usize = 4;
/** Maximum distance of a match. */
const MAX_DISTANCE: usize = 65535;
/** Minimum distance in bytes from the start of the last match to the end of a block. */
const MATCH_MARGIN: usize = 12;
/** Minimum number of literals after it. */
const LITERAL_MARGIN: usize = 5;
/** Positions without a match, after which the search steps over more bytes at a time: 1 << 6. */
const SKIP_BITS: i32 = 6;

/**
 * Compresses a block to `out`, where up to `length + length / 255 + 32` bytes are written, and 16 bytes after the
 * block must be readable. Returns the compressed size.
 * @param table buffer of `4 << 14` bytes.
 */
export function compressBlock(from: usize, length: i32, table: usize, out: usize): i32 {
  const end = from + length;
  let to = out;
  let literals = from;
  if (<usize>length > MATCH_MARGIN) {
    memory.fill(table, 0, <usize>4 << <usize>HASH_BITS);
    const last = end - MATCH_MARGIN;
    let p = from + 1;
    let misses: i32 = 1 << SKIP_BITS;
    while (p <= last) {
      const slot = table + (<usize>(((load<u64>(p) << 24) * HASH_PRIME) >> (64 - HASH_BITS)) << 2);
      let match = from + load<u32>(slot);
      store<u32>(slot, <u32>(p - from));
      if (p - match > MAX_DISTANCE || load<u32>(match) != load<u32>(p)) {
        p += misses++ >> SKIP_BITS;
        continue;
      }
      while (p > literals && match > from && load<u8>(p - 1) == load<u8>(match - 1)) {
        p--;
        match--;
      }
      const size = findMatchEnd(p + MIN_MATCH, match + MIN_MATCH, end - LITERAL_MARGIN) - p;
      to = writeLiterals(to, literals, p - literals, size - MIN_MATCH);
      store<u16>(to, <u16>(p - match));
      to = writeRest(to + 2, size - MIN_MATCH);
      p += size;
      literals = p;
      misses = 1 << SKIP_BITS;
    }
  }
  return <i32>(writeLiterals(to, literals, end - literals, 0) - out);
}

/** Where the bytes at `p` no longer equal those at `match`; at most `end`. */
// @ts-ignore: decorator
@inline
function findMatchEnd(p: usize, match: usize, end: usize): usize {
  while (p < end) {
    const difference = load<u64>(p) ^ load<u64>(match);
    if (difference != 0) return min(p + <usize>(ctz(difference) >> 3), end);
    p += 8;
    match += 8;
  }
  return end;
}

/**
 * Writes the token of a sequence, and its literals, 16 bytes at a time. Returns the end.
 * @param matchRest length of the match beyond `MIN_MATCH`.
 */
// @ts-ignore: decorator
@inline
function writeLiterals(out: usize, from: usize, length: usize, matchRest: usize): usize {
  store<u8>(out, <u8>((min<usize>(length, 15) << 4) | min<usize>(matchRest, 15)));
  const to = writeRest(out + 1, length);
  for (let i: usize = 0; i < length; i += 16) v128.store(to + i, v128.load(from + i));
  return to + length;
}

/** Writes the part of a length that does not fit into the four bits of the token. Returns the end. */
// @ts-ignore: decorator
@inline
function writeRest(out: usize, length: usize): usize {
  if (length < 15) return out;
  let rest = length - 15;
  for (; rest >= 255; rest -= 255) store<u8>(out++, 255);
  store<u8>(out, <u8>rest);
  return out + 1;
}

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
 * Compresses a block to `out`, where up to `length + length / 255 + 48` bytes are written, and 16 bytes after the
 * block must be readable. Returns the compressed size.
 * @param table buffer of `4 << 14` bytes, for addresses.
 */
export function compressBlock(from: usize, length: i32, table: usize, out: usize): i32 {
  const end = from + length;
  let to = out;
  let literals = from;
  if (<usize>length > MATCH_MARGIN) {
    const tableEnd = table + (<usize>4 << <usize>HASH_BITS);
    for (let at = table; at < tableEnd; at += 16) v128.store(at, i32x4.splat(<i32>from));
    const last = end - MATCH_MARGIN;
    let p = from + 1;
    let misses: i32 = 1 << SKIP_BITS;
    while (p <= last) {
      const value = load<u64>(p);
      const slot = table + (<usize>(((value << 24) * HASH_PRIME) >> (64 - HASH_BITS)) << 2);
      let match: usize = load<u32>(slot);
      store<u32>(slot, <u32>p);
      const difference = load<u64>(match) ^ value;
      // One branch for both, since each would often be predicted wrongly.
      if (i32(p - match > MAX_DISTANCE) | i32(<u32>difference != 0)) {
        p += misses++ >> SKIP_BITS;
        continue;
      }
      const matchEnd =
        difference != 0
          ? p + <usize>(ctz(difference) >> 3)
          : findMatchEnd(p + 8, match + 8, end - LITERAL_MARGIN);
      while (p > literals && match > from && load<u8>(p - 1) == load<u8>(match - 1)) {
        p--;
        match--;
      }
      to = writeSequence(to, literals, p - literals, p - match, matchEnd - p - MIN_MATCH);
      p = matchEnd;
      literals = p;
      misses = 1 << SKIP_BITS;
    }
  }
  return <i32>(writeLiterals(to, literals, end - literals, 0) - out);
}

/** Writes literals, and the match after them. Returns the end. @param matchRest as for `writeLiterals`. */
// @ts-ignore: decorator
@inline
function writeSequence(out: usize, literals: usize, count: usize, distance: usize, matchRest: usize): usize {
  if (max(count, matchRest) < 15) {
    store<u8>(out, <u8>((count << 4) | matchRest));
    v128.store(out + 1, v128.load(literals));
    store<u16>(out + count, <u16>distance, 1);
    return out + count + 3;
  }
  const to = writeLiterals(out, literals, count, matchRest);
  store<u16>(to, <u16>distance);
  return writeRest(to + 2, matchRest);
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

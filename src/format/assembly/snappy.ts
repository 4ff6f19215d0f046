// Compresses to raw Snappy (https://github.com/google/snappy/blob/main/format_description.txt), greedily, with a table of
// the last position of each hash of four bytes.

/** Maximum distance of a copy. Positions in a block fit into 16 bits. */
const BLOCK: usize = 65536;
const HASH_BITS: i32 = 14;
const lastPositions: usize = memory.data(2 << 14, 16);

/** Maximum size of `length` compressed bytes. */
export function maxSnappyBytes(length: i32): i32 {
  return 32 + length + length / 6;
}

/** Compresses `length` bytes at `from`; returns the number of bytes at `out`. Reads 16 bytes after the end. */
export function compressSnappy(from: usize, length: i32, out: usize): i32 {
  let to = out;
  let rest = <u32>length;
  for (; rest >= 0x80; rest >>= 7) store<u8>(to++, <u8>rest | 0x80);
  store<u8>(to++, <u8>rest);
  const end = from + <usize>length;
  for (let block = from; block < end; block += BLOCK) to = compressBlock(block, min(end, block + BLOCK), to);
  return <i32>(to - out);
}

// @ts-ignore: decorator
@inline
function hash(bytes: u32): usize {
  return <usize>((bytes * 0x1e35a7bd) >> (32 - HASH_BITS)) << 1;
}

function compressBlock(start: usize, end: usize, out: usize): usize {
  memory.fill(lastPositions, 0, 2 << HASH_BITS);
  let literal = start;
  let i = start + 1;
  // Step over bytes without a match in growing strides, so that bytes that do not repeat cost little.
  let misses: usize = 32;
  while (i + 4 <= end) {
    const bytes = load<u32>(i);
    const slot = lastPositions + hash(bytes);
    const candidate = start + <usize>load<u16>(slot);
    store<u16>(slot, <u16>(i - start));
    if (candidate >= i || load<u32>(candidate) != bytes) {
      i += misses++ >> 5;
      continue;
    }
    const size = matchLength(candidate, i, end);
    out = writeLiteral(literal, i, out);
    out = writeCopy(<i32>(i - candidate), size, out);
    i += <usize>size;
    literal = i;
    misses = 32;
  }
  return writeLiteral(literal, end, out);
}

// @ts-ignore: decorator
@inline
function matchLength(candidate: usize, from: usize, end: usize): i32 {
  let size: usize = 4;
  while (from + size + 8 <= end) {
    const differ = load<u64>(candidate + size) ^ load<u64>(from + size);
    if (differ != 0) return <i32>(size + <usize>(ctz(differ) >> 3));
    size += 8;
  }
  while (from + size < end && load<u8>(candidate + size) == load<u8>(from + size)) size++;
  return <i32>size;
}

// @ts-ignore: decorator
@inline
function writeLiteral(from: usize, to: usize, out: usize): usize {
  if (from == to) return out;
  const length = to - from;
  const size = <u32>length - 1;
  if (size < 60) {
    store<u8>(out++, <u8>(size << 2));
    if (size < 16) {
      v128.store(out, v128.load(from));
      return out + length;
    }
  } else if (size < 256) {
    store<u8>(out, 60 << 2);
    store<u8>(out, <u8>size, 1);
    out += 2;
  } else {
    store<u8>(out, 61 << 2);
    store<u16>(out + 1, <u16>size);
    out += 3;
  }
  memory.copy(out, from, length);
  return out + length;
}

/** Copies of at most 64 bytes with a two-byte offset, or of 4 to 11 bytes with an offset of 11 bits. */
// @ts-ignore: decorator
@inline
function writeCopy(offset: i32, size: i32, out: usize): usize {
  while (size > 0) {
    // A rest shorter than four bytes needs the two-byte form, which has no minimum size.
    const part = min(size, 64);
    if (part >= 4 && part < 12 && offset < 2048) {
      store<u8>(out, <u8>(1 | ((part - 4) << 2) | ((offset >> 8) << 5)));
      store<u8>(out, <u8>offset, 1);
      out += 2;
    } else {
      store<u8>(out, <u8>(2 | ((part - 1) << 2)));
      store<u16>(out + 1, <u16>offset);
      out += 3;
    }
    size -= part;
  }
  return out;
}

/** Maximum distance of a copy, so a block needs only 16-bit positions. */
const BLOCK_BYTES = 65_536;
const HASH_BITS = 14;
const MIN_MATCH = 4;

/** Compresses to a raw Snappy stream: https://github.com/google/snappy/blob/main/format_description.txt */
export function compressSnappy(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(16 + bytes.length + Math.ceil(bytes.length / 6));
  const lastPositions = new Uint16Array(1 << HASH_BITS);
  let length = writeVarint(out, bytes.length);
  for (let start = 0; start < bytes.length; start += BLOCK_BYTES) {
    lastPositions.fill(0);
    length = compressBlock(bytes.subarray(start, start + BLOCK_BYTES), lastPositions, out, length);
  }
  return out.subarray(0, length);
}

/**
 * Greedy matching with a table of the last position of each hash of four bytes. Returns the new length of
 * `out`.
 */
function compressBlock(
  block: Uint8Array,
  lastPositions: Uint16Array,
  out: Uint8Array,
  length: number,
): number {
  let at = length;
  let literalStart = 0;
  let i = 1;
  // Step over bytes without a match in growing strides, so that incompressible data costs little.
  let misses = 32;
  while (i + MIN_MATCH <= block.length) {
    const hash = Math.imul(readUint32(block, i), 0x1e35a7bd) >>> (32 - HASH_BITS);
    const candidate = lastPositions[hash] as number;
    lastPositions[hash] = i;
    if (candidate >= i || readUint32(block, candidate) !== readUint32(block, i)) {
      i += misses++ >>> 5;
      continue;
    }
    let size = MIN_MATCH;
    while (i + size < block.length && block[candidate + size] === block[i + size]) size++;
    at = writeLiteral(block, literalStart, i, out, at);
    at = writeCopy(i - candidate, size, out, at);
    i += size;
    literalStart = i;
    misses = 32;
  }
  return writeLiteral(block, literalStart, block.length, out, at);
}

function readUint32(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}

function writeLiteral(bytes: Uint8Array, from: number, to: number, out: Uint8Array, start: number): number {
  if (from === to) return start;
  const size = to - from - 1;
  let at = start;
  if (size < 60) {
    out[at++] = size << 2;
  } else if (size < 256) {
    out[at++] = 60 << 2;
    out[at++] = size;
  } else {
    out[at++] = 61 << 2;
    out[at++] = size & 0xff;
    out[at++] = size >>> 8;
  }
  if (size < 16) for (let i = from; i < to; i++) out[at++] = bytes[i] as number;
  else {
    out.set(bytes.subarray(from, to), at);
    at += size + 1;
  }
  return at;
}

/** Copies of at most 64 bytes with a two-byte offset, or of 4 to 11 bytes with an offset of 11 bits. */
function writeCopy(offset: number, size: number, out: Uint8Array, start: number): number {
  let at = start;
  let rest = size;
  while (rest > 0) {
    // A rest shorter than four bytes needs the two-byte form, which has no minimum size.
    const part = Math.min(rest, 64);
    if (part >= 4 && part < 12 && offset < 2048) {
      out[at++] = 1 | ((part - 4) << 2) | ((offset >>> 8) << 5);
      out[at++] = offset & 0xff;
    } else {
      out[at++] = 2 | ((part - 1) << 2);
      out[at++] = offset & 0xff;
      out[at++] = offset >>> 8;
    }
    rest -= part;
  }
  return at;
}

function writeVarint(out: Uint8Array, value: number): number {
  let at = 0;
  let rest = value;
  while (rest >= 0x80) {
    out[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  out[at++] = rest;
  return at;
}

const MAGIC = 0x184d2204;
/** Flags of a frame. */
const HAS_BLOCK_CHECKSUMS = 0x10;
const HAS_CONTENT_SIZE = 0x08;
const HAS_DICTIONARY = 0x01;
/** Flag in a block's length. */
const IS_UNCOMPRESSED = 0x80000000;
const MIN_MATCH = 4;

/**
 * Decompresses an LZ4 frame of any writer, without comparing checksums
 * (https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md).
 * @param size exact size of the result.
 * @throws RangeError if the frame is damaged.
 */
export function decompressLz4(frame: Uint8Array, size: number): Uint8Array {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.length);
  if (bytes.readUInt32LE(0) !== MAGIC) throw new RangeError('no LZ4 frame');
  const flags = bytes.readUInt8(4);
  let at = 7 + (flags & HAS_CONTENT_SIZE ? 8 : 0) + (flags & HAS_DICTIONARY ? 4 : 0);
  const out = new Uint8Array(size);
  let length = 0;
  for (;;) {
    const header = bytes.readUInt32LE(at);
    if (header === 0) break;
    const blockLength = header % IS_UNCOMPRESSED;
    const block = bytes.subarray(at + 4, at + 4 + blockLength);
    if (block.length < blockLength) throw new RangeError('a block of an LZ4 frame is cut off');
    if (header < IS_UNCOMPRESSED) length = decompressLz4Block(block, out, length);
    else {
      out.set(block, length);
      length += blockLength;
    }
    at += 4 + blockLength + (flags & HAS_BLOCK_CHECKSUMS ? 4 : 0);
  }
  if (length !== size) throw new RangeError(`an LZ4 frame of ${length} bytes, not ${size}`);
  return out;
}

/**
 * Appends a block to `out`; its matches may begin in earlier blocks. Returns the new length.
 * @throws RangeError if the block is damaged, or has more bytes than `out`.
 */
export function decompressLz4Block(block: Buffer, out: Uint8Array, start: number): number {
  let length = start;
  let at = 0;
  const readLength = (nibble: number): number => {
    let total = nibble;
    if (nibble < 15) return total;
    let next = 255;
    while (next === 255) {
      next = block.readUInt8(at++);
      total += next;
    }
    return total;
  };
  while (at < block.length) {
    const token = block.readUInt8(at++);
    const literals = readLength(token >>> 4);
    if (at + literals > block.length) throw new RangeError('literals of an LZ4 block are cut off');
    out.set(block.subarray(at, at + literals), length);
    at += literals;
    length += literals;
    // The last sequence has no match.
    if (at === block.length) break;
    const distance = block.readUInt16LE(at);
    at += 2;
    const end = length + readLength(token & 15) + MIN_MATCH;
    if (distance === 0 || distance > length || end > out.length)
      throw new RangeError('a match of an LZ4 block is outside of it');
    for (; length < end; length++) out[length] = out[length - distance] as number;
  }
  return length;
}

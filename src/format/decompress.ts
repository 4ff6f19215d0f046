/** Memory for the window of a frame; the limit of zstd's own command. */
const MAX_WINDOW_BYTES = 128 * 1024 * 1024;
/** Each frame takes the time to allocate its window: a stream of tiny frames must not have large ones. */
const MAX_WINDOW_BYTES_PER_BYTE = 4096;
const FREE_WINDOW_BYTES = 64 * 1024 ** 3;

const ZSTD_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const MAX_BLOCK_BYTES = 128 * 1024;
const RLE_BLOCK = 1;
/** Size of the longest header: magic number, descriptor, window, dictionary and content size. */
const MAX_HEADER_BYTES = 18;

/**
 * Finds the frames and blocks of a Zstandard stream (RFC 8878) by their headers alone, so that damaged sizes are
 * refused before a decompressor allocates memory for them.
 */
export class ZstdFrames {
  /** Number of frames with data so far. */
  count = 0;
  #head = Buffer.alloc(0);
  /** Bytes to pass over before the next header. */
  #skip = 0;
  #inFrame = false;
  #checksumBytes = 0;
  #bytes = 0;
  #windowBytes = 0;
  readonly #onFrame: ((start: number, end: number) => void) | undefined;
  #frameStart = 0;

  /** @param onFrame receives the positions of each frame with data when its last block begins. */
  constructor(onFrame?: (start: number, end: number) => void) {
    this.#onFrame = onFrame;
  }

  /** Whether the bytes so far end with a frame. */
  get isComplete(): boolean {
    return !this.#inFrame && this.#skip === 0 && this.#head.length === 0;
  }

  /** Takes the next bytes of the stream. @throws RangeError if a header is invalid or states too large a window. */
  push(bytes: Uint8Array): void {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const chunkStart = this.#bytes;
    this.#bytes += chunk.length;
    let at = 0;
    while (at < chunk.length || (this.#head.length > 0 && this.#skip === 0)) {
      const skipped = Math.min(this.#skip, chunk.length - at);
      at += skipped;
      this.#skip -= skipped;
      if (this.#skip > 0) return;
      const known = this.#head.length;
      const next = chunk.subarray(at, at + MAX_HEADER_BYTES - known);
      const head = known === 0 ? next : Buffer.concat([this.#head, next]);
      const wasInFrame = this.#inFrame;
      const size = wasInFrame ? this.#readBlock(head) : this.#readFrame(head);
      if (size === undefined) {
        this.#head = Buffer.from(head);
        return;
      }
      this.#head = Buffer.alloc(0);
      const position = chunkStart + at - known;
      if (!wasInFrame) this.#frameStart = position;
      else if (!this.#inFrame) this.#onFrame?.(this.#frameStart, position + size + this.#skip);
      // A header that ended in an earlier chunk cannot be shorter than what is known of it.
      at += size - known;
    }
  }

  /** Size of the header of a frame; undefined if it is incomplete. */
  #readFrame(head: Buffer): number | undefined {
    if (head.length < 5) return undefined;
    const magic = head.readUInt32LE();
    if ((magic & 0xfffffff0) === SKIPPABLE_MAGIC) {
      if (head.length < 8) return undefined;
      this.#skip = head.readUInt32LE(4);
      return 8;
    }
    if (magic !== ZSTD_MAGIC) throw new RangeError('invalid zstd data');
    const descriptor = head.readUInt8(4);
    const isSingleSegment = (descriptor & 0x20) !== 0;
    const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >>> 6] as number;
    const sizeAt = 5 + (isSingleSegment ? 0 : 1) + ([0, 1, 2, 4][descriptor & 3] as number);
    if (head.length < sizeAt + sizeBytes) return undefined;
    const windowBits = head.readUInt8(5);
    const window = isSingleSegment
      ? readContentSize(head, sizeAt, sizeBytes)
      : 2 ** (10 + (windowBits >>> 3)) * (1 + (windowBits & 7) / 8);
    if (window > MAX_WINDOW_BYTES)
      throw new RangeError(`a zstd window of ${window} bytes is larger than ${MAX_WINDOW_BYTES}`);
    this.#windowBytes += window;
    if (this.#windowBytes > FREE_WINDOW_BYTES + MAX_WINDOW_BYTES_PER_BYTE * this.#bytes)
      throw new RangeError('the windows of its zstd frames are too large for their data');
    this.count++;
    this.#inFrame = true;
    this.#checksumBytes = descriptor & 4;
    return sizeAt + sizeBytes;
  }

  /** Size of the header of a block; undefined if it is incomplete. */
  #readBlock(head: Buffer): number | undefined {
    if (head.length < 3) return undefined;
    const header = head.readUIntLE(0, 3);
    const type = (header >>> 1) & 3;
    const size = header >>> 3;
    if (type > 2 || size > MAX_BLOCK_BYTES) throw new RangeError('invalid zstd block');
    this.#skip = type === RLE_BLOCK ? 1 : size;
    const isLast = (header & 1) === 1;
    if (isLast) this.#skip += this.#checksumBytes;
    this.#inFrame = !isLast;
    return 3;
  }
}

function readContentSize(head: Buffer, at: number, bytes: number): number {
  if (bytes === 8) return Number(head.readBigUInt64LE(at));
  return head.readUIntLE(at, bytes) + (bytes === 2 ? 256 : 0);
}

/**
 * Decompresses one Zstandard frame of a known size.
 * @param size exact size of the result, which the caller has limited.
 * @throws RangeError or another error if the bytes are anything else.
 */
export async function decompressZstd(frame: Uint8Array, size: number): Promise<Uint8Array> {
  const frames = new ZstdFrames();
  frames.push(frame);
  // The decompressor repeats its output for each frame.
  if (frames.count !== 1 || !frames.isComplete) throw new RangeError('not one complete zstd frame');
  const { decompress } = await import('fzstd');
  const bytes = new Uint8Array(frame.buffer, frame.byteOffset, frame.length);
  const out = new Uint8Array(size);
  // fzstd compares its output with a number, which would first convert all bytes to a text.
  Object.defineProperty(out, Symbol.toPrimitive, { value: () => 0 });
  const values = decompress(bytes, out);
  if (values.length !== size) throw new RangeError(`a zstd frame of ${values.length} bytes, not ${size}`);
  return values;
}

const LZ4_MAGIC = 0x184d2204;
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
  if (bytes.readUInt32LE(0) !== LZ4_MAGIC) throw new RangeError('no LZ4 frame');
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

/**
 * Decompresses a raw Snappy stream of any writer (https://github.com/google/snappy/blob/main/format_description.txt).
 * @param size exact size of the result, which the caller has limited.
 * @throws RangeError if the stream is damaged.
 */
export function decompressSnappy(bytes: Buffer, size: number): Uint8Array {
  const out = new Uint8Array(size);
  let at = 0;
  let length = 0;
  // The size that the stream states: a varint.
  while (bytes.readUInt8(at++) >= 0x80);
  while (at < bytes.length) {
    const tag = bytes.readUInt8(at++);
    const kind = tag & 3;
    if (kind === 0) {
      const code = tag >>> 2;
      const extra = Math.max(0, code - 59);
      const literals = (extra === 0 ? code : bytes.readUIntLE(at, extra)) + 1;
      at += extra;
      if (literals > bytes.length - at || literals > size - length)
        throw new RangeError('literals of a Snappy stream are cut off');
      out.set(bytes.subarray(at, at + literals), length);
      at += literals;
      length += literals;
      continue;
    }
    const copied = kind === 1 ? 4 + ((tag >>> 2) & 7) : 1 + (tag >>> 2);
    const distance =
      kind === 1
        ? ((tag >>> 5) << 8) | bytes.readUInt8(at)
        : kind === 2
          ? bytes.readUInt16LE(at)
          : bytes.readUInt32LE(at);
    at += kind === 3 ? 4 : kind;
    if (distance === 0 || distance > length || copied > size - length)
      throw new RangeError('a copy of a Snappy stream is outside of it');
    for (const end = length + copied; length < end; length++) out[length] = out[length - distance] as number;
  }
  return out.subarray(0, length);
}

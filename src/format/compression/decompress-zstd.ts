/** Memory for the window of a frame; the limit of zstd's own command. */
const MAX_WINDOW_BYTES = 128 * 1024 * 1024;
/** Each frame takes the time to allocate its window: a stream of tiny frames must not have large ones. */
const MAX_WINDOW_BYTES_PER_BYTE = 4096;
const FREE_WINDOW_BYTES = 64 * 1024 ** 3;

const MAGIC = 0xfd2fb528;
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

  /** Whether the bytes so far end with a frame. */
  get isComplete(): boolean {
    return !this.#inFrame && this.#skip === 0 && this.#head.length === 0;
  }

  /** Takes the next bytes of the stream. @throws RangeError if a header is invalid or states too large a window. */
  push(bytes: Uint8Array): void {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
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
      const size = this.#inFrame ? this.#readBlock(head) : this.#readFrame(head);
      if (size === undefined) {
        this.#head = Buffer.from(head);
        return;
      }
      this.#head = Buffer.alloc(0);
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
    if (magic !== MAGIC) throw new RangeError('invalid zstd data');
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

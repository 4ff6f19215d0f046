import { pageMemory } from '../../base/page-memory.js';

/** Bytes of a frame's head at most: text, final, not masked (RFC 6455, section 5.2). */
const MAX_FRAME_HEAD_BYTES = 10;
const FINAL_TEXT = 0x81;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/** Goes back to the system when its client left. */
function newBuffer(bytes: number): Buffer {
  return Buffer.from(pageMemory(bytes).buffer);
}

/**
 * Text frames, one a message, end to end: whole ones may be written to a connection at any time, as many at once as
 * there are. Where one doesn't fit in, the memory grows; it is used again.
 */
export class FrameBuffer {
  #bytes = newBuffer(16 * 1024);
  length = 0;
  count = 0;

  /** Adds a message: bytes of UTF-8 from `start` up to, not including, `end`. */
  add(text: Uint8Array, start: number, end: number): void {
    const size = end - start;
    if (this.length + MAX_FRAME_HEAD_BYTES + size > this.#bytes.length)
      this.#grow(this.length + MAX_FRAME_HEAD_BYTES + size);
    const at = this.#head(size);
    this.#bytes.set(text.subarray(start, end), at);
    this.length = at + size;
    this.count++;
  }

  /** Whether a message of `size` bytes fits into `memory` bytes beside the messages already there. */
  fits(size: number, memory: number): boolean {
    return this.length + MAX_FRAME_HEAD_BYTES + size <= memory;
  }

  /** Those that are there, good until the next one is added. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }

  /** Removes all frames, and frees the memory above this number of bytes. */
  clear(most: number): void {
    this.length = 0;
    this.count = 0;
    if (this.#bytes.length > most) this.#bytes = newBuffer(most);
  }

  #head(size: number): number {
    const bytes = this.#bytes;
    const at = this.length;
    bytes[at] = FINAL_TEXT;
    if (size < LENGTH_16) {
      bytes[at + 1] = size;
      return at + 2;
    }
    if (size < 0x1_0000) {
      bytes[at + 1] = LENGTH_16;
      return bytes.writeUInt16BE(size, at + 2);
    }
    bytes[at + 1] = LENGTH_64;
    bytes.writeUInt32BE(0, at + 2);
    return bytes.writeUInt32BE(size, at + 6);
  }

  #grow(needed: number): void {
    const larger = newBuffer(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }
}

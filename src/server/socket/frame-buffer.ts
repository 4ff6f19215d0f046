/** Maximum bytes of the head of a final, unmasked text frame (RFC 6455, section 5.2). */
const MAX_FRAME_HEAD_BYTES = 10;
const FINAL_TEXT = 0x81;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/**
 * Consecutive text frames, one per message, to be written to a connection together. The memory is reused, and grows for a
 * frame that does not fit. It is not `pageMemory`: single bytes are written to that at half the speed.
 */
export class FrameBuffer {
  #bytes = Buffer.allocUnsafeSlow(16 * 1024);
  length = 0;
  count = 0;

  /** Adds the message in the UTF-8 bytes from `start` to `end`, exclusive. */
  add(text: Uint8Array, start: number, end: number): void {
    const size = end - start;
    if (this.length + MAX_FRAME_HEAD_BYTES + size > this.#bytes.length)
      this.#grow(this.length + MAX_FRAME_HEAD_BYTES + size);
    const at = this.#head(size);
    this.#bytes.set(text.subarray(start, end), at);
    this.length = at + size;
    this.count++;
  }

  /** Whether the buffered messages and one more of `size` bytes fit into `memory` bytes. */
  fits(size: number, memory: number): boolean {
    return this.length + MAX_FRAME_HEAD_BYTES + size <= memory;
  }

  /** The frames; valid until the next message is added. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }

  /** Removes all frames, and frees memory above `maxBytes`. */
  clear(maxBytes: number): void {
    this.length = 0;
    this.count = 0;
    if (this.#bytes.length > maxBytes) this.#bytes = Buffer.allocUnsafeSlow(maxBytes);
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
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }
}

import { copyBytes } from '../base/memory.js';

/** A growing buffer. Numbers are little-endian; varints are ULEB128: seven bits per byte, lowest first. */
export class ByteWriter {
  bytes: Uint8Array;
  /** View of the same memory. */
  view: DataView;
  length = 0;
  /** View of the same memory. */
  #buffer: Buffer;
  readonly #allocate: (bytes: number) => Uint8Array;

  /** @param allocate allocates the memory; by default memory of this thread. */
  constructor(capacity = 1024, allocate = (bytes: number): Uint8Array => new Uint8Array(bytes)) {
    this.#allocate = allocate;
    this.bytes = allocate(capacity);
    this.view = new DataView(this.bytes.buffer);
    this.#buffer = Buffer.from(this.bytes.buffer);
  }

  /**
   * Ensures room for `extra` more bytes; afterwards `bytes` may be written directly, and `length` increased.
   */
  reserve(extra: number): Uint8Array {
    const needed = this.length + extra;
    if (needed > this.bytes.length) {
      const larger = this.#allocate(Math.max(needed, this.bytes.length * 2));
      larger.set(this.written());
      this.bytes = larger;
      this.view = new DataView(larger.buffer);
      this.#buffer = Buffer.from(larger.buffer);
    }
    return this.bytes;
  }

  byte(value: number): void {
    this.reserve(1)[this.length++] = value;
  }

  uint32(value: number): void {
    this.reserve(4);
    this.view.setUint32(this.length, value, true);
    this.length += 4;
  }

  /** Writes an integer from 0 to 2^53. */
  varint(value: number): void {
    const bytes = this.reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      bytes[this.length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    bytes[this.length++] = rest;
  }

  /**
   * Writes a signed integer of at most 2^52 in magnitude, so that small ones are short: 0, -1, 1, -2 become
   * 0, 1, 2, 3.
   */
  zigzag(value: number): void {
    this.varint(value >= 0 ? value * 2 : -value * 2 - 1);
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    copyBytes(bytes, this.#buffer, this.length);
    this.length += bytes.length;
  }

  /** The written bytes as a view, valid until the next write. */
  written(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }
}

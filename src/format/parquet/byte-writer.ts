/** Bytes that grow at the end. Numbers are little-endian; varints are ULEB128, seven bits a byte, lowest first. */
export class ByteWriter {
  bytes: Uint8Array;
  /** Of the same bytes. */
  view: DataView;
  length = 0;
  readonly #allocate: (bytes: number) => Uint8Array;

  /** @param allocate makes the memory: this thread's own where it isn't given. */
  constructor(capacity = 1024, allocate = (bytes: number): Uint8Array => new Uint8Array(bytes)) {
    this.#allocate = allocate;
    this.bytes = allocate(capacity);
    this.view = new DataView(this.bytes.buffer);
  }

  /** Makes room for `extra` more bytes; afterwards `bytes` may be written to directly, and `length` moved. */
  reserve(extra: number): Uint8Array {
    const needed = this.length + extra;
    if (needed > this.bytes.length) {
      const larger = this.#allocate(Math.max(needed, this.bytes.length * 2));
      larger.set(this.written());
      this.bytes = larger;
      this.view = new DataView(larger.buffer);
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

  /** An integer from 0 to 2^53. */
  varint(value: number): void {
    const bytes = this.reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      bytes[this.length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    bytes[this.length++] = rest;
  }

  /** A signed integer of at most 2^52 in magnitude, small ones short: 0, -1, 1, -2 become 0, 1, 2, 3. */
  zigzag(value: number): void {
    this.varint(value >= 0 ? value * 2 : -value * 2 - 1);
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length).set(bytes, this.length);
    this.length += bytes.length;
  }

  /** A view of what was written, good until the next write. */
  written(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }
}

/** Writes bits as DEFLATE has them (RFC 1951, section 3.1.1). */
export class BitWriter {
  readonly #bytes: number[] = [];
  #filled = 0;

  /** A number: its lowest bit first. */
  number(value: number, count: number): void {
    for (let bit = 0; bit < count; bit++) this.#bit((value >>> bit) & 1);
  }

  /** A Huffman code: its highest bit first. */
  code(value: number, count: number): void {
    for (let bit = count - 1; bit >= 0; bit--) this.#bit((value >>> bit) & 1);
  }

  bytes(): Buffer {
    return Buffer.from(this.#bytes);
  }

  #bit(bit: number): void {
    if (this.#filled === 0) this.#bytes.push(0);
    const last = this.#bytes.length - 1;
    this.#bytes[last] = (this.#bytes[last] ?? 0) | (bit << this.#filled);
    this.#filled = (this.#filled + 1) % 8;
  }
}

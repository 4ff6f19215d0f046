import { crc32 } from 'node:zlib';

/** A code: its bits in the order of the stream, and their number. */
export interface Code {
  readonly bits: number;
  readonly length: number;
}

/** Order of the lengths of the precode (RFC 1951, section 3.2.7). */
const PRECODE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/** Lengths of codes are written with 4 bits each. */
const PRECODE = canonicalCodes(PRECODE_ORDER.map((_, symbol) => (symbol < 16 ? 4 : 0)));

/** Writes DEFLATE streams that no compressor makes. */
export class DeflateWriter {
  readonly #bytes: number[] = [];
  #buffer = 0;
  #count = 0;

  put(bits: number, length: number): void {
    this.#buffer |= bits << this.#count;
    this.#count += length;
    for (; this.#count >= 8; this.#count -= 8) {
      this.#bytes.push(this.#buffer & 255);
      this.#buffer >>>= 8;
    }
  }

  putCode({ bits, length }: Code): void {
    this.put(bits, length);
  }

  /** Begins a dynamic block that is not the last one. @param lengths of the codes of literals and lengths. */
  beginBlock(lengths: readonly number[], distances: readonly number[]): readonly Code[] {
    this.put(0b100, 3);
    this.put(lengths.length - 257, 5);
    this.put(distances.length - 1, 5);
    this.put(PRECODE_ORDER.length - 4, 4);
    for (const symbol of PRECODE_ORDER) this.put(symbol < 16 ? 4 : 0, 3);
    for (const length of [...lengths, ...distances]) this.putCode(PRECODE[length] as Code);
    return canonicalCodes(lengths);
  }

  /** Ends the stream with an empty block, and makes it a gzip file. */
  finish(text: Buffer): Buffer {
    this.put(0b011, 3);
    this.put(0, 7);
    this.put(0, 7);
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(crc32(text));
    trailer.writeUInt32LE(text.length, 4);
    const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
    return Buffer.concat([header, Buffer.from(this.#bytes), trailer]);
  }
}

/** Codes of given lengths (RFC 1951, section 3.2.2). */
function canonicalCodes(lengths: readonly number[]): readonly Code[] {
  let next = 0;
  const codes: Code[] = lengths.map(() => ({ bits: 0, length: 0 }));
  for (let length = 1; length <= 15; length++) {
    next <<= 1;
    for (const [symbol, of] of lengths.entries())
      if (of === length) codes[symbol] = { bits: reversed(next++, length), length };
  }
  return codes;
}

function reversed(bits: number, length: number): number {
  let result = 0;
  for (let i = 0; i < length; i++) result = (result << 1) | ((bits >> i) & 1);
  return result;
}

import { isUtf8 } from 'node:buffer';
import type { TextValues } from '../../../../src/format/batch.js';

/** Texts in one growing buffer. */
export class TextValuesBuilder {
  bytes: Uint8Array<ArrayBuffer>;
  offsets: Int32Array<ArrayBuffer>;
  count = 0;

  constructor(values: number, bytes: number) {
    this.bytes = new Uint8Array(bytes);
    this.offsets = new Int32Array(values + 1);
  }

  /** Adds a text. Returns false, and adds nothing, if it is not UTF-8. */
  append(source: Buffer, start: number, end: number): boolean {
    const length = end - start;
    const at = this.offsets[this.count] as number;
    if (at + length > this.bytes.length) this.#growBytes(at + length);
    if (this.count + 1 === this.offsets.length) this.#growOffsets();
    const text = source.subarray(start, end);
    if (!isUtf8(text)) return false;
    this.bytes.set(text, at);
    this.offsets[++this.count] = at + length;
    return true;
  }

  finish(): TextValues {
    const offsets = this.offsets.subarray(0, this.count + 1);
    return { bytes: this.bytes.subarray(0, offsets[this.count]), offsets };
  }

  #growBytes(needed: number): void {
    const larger = new Uint8Array(Math.max(needed, 2 * this.bytes.length));
    larger.set(this.bytes);
    this.bytes = larger;
  }

  #growOffsets(): void {
    const larger = new Int32Array(2 * this.offsets.length);
    larger.set(this.offsets);
    this.offsets = larger;
  }
}

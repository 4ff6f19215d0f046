import { isUtf8 } from 'node:buffer';
import type { TextValues } from '../columns.js';

/** How much text a batch may still take in, in bytes; shared by the columns of a parser. */
export interface TextBudget {
  left: number;
}

/** Below this a loop copies faster than a call of `set`. */
const SHORT = 48;

/** Digits are copied so many bytes at a time, some past their end. */
const WORD = 4;

/** Texts end to end in one growing buffer. */
export class TextValuesBuilder {
  bytes: Uint8Array<ArrayBuffer>;
  offsets: Int32Array<ArrayBuffer>;
  count = 0;
  #view: DataView;
  readonly #budget: TextBudget;

  constructor(budget: TextBudget, values: number, bytes: number) {
    this.#budget = budget;
    this.bytes = new Uint8Array(bytes);
    this.#view = new DataView(this.bytes.buffer);
    this.offsets = new Int32Array(values + 1);
  }

  /** Adds a text; false, and nothing added, where it isn't UTF-8. */
  append(source: Buffer, start: number, end: number): boolean {
    const length = end - start;
    let at = this.offsets[this.count] as number;
    if (at + length > this.bytes.length) this.#growBytes(at + length);
    if (this.count + 1 === this.offsets.length) this.#growOffsets();
    const { bytes } = this;
    let union = 0;
    if (length < SHORT) {
      for (let p = start; p < end; p++) {
        const byte = source[p] as number;
        union |= byte;
        bytes[at++] = byte;
      }
    } else {
      union = 0x80;
      bytes.set(source.subarray(start, end), at);
      at += length;
    }
    if (union >= 0x80 && !isUtf8(source.subarray(start, end))) return false;
    this.offsets[++this.count] = at;
    this.#budget.left -= length;
    return true;
  }

  /** Adds digits, which need no look at each byte; the view must go on for `WORD` bytes behind them. */
  appendDigits(source: DataView, start: number, end: number): void {
    const length = end - start;
    const at = this.offsets[this.count] as number;
    if (at + length + WORD > this.bytes.length) this.#growBytes(at + length + WORD);
    if (this.count + 1 === this.offsets.length) this.#growOffsets();
    for (let i = 0; i < length; i += WORD)
      this.#view.setInt32(at + i, source.getInt32(start + i, true), true);
    this.offsets[++this.count] = at + length;
    this.#budget.left -= length;
  }

  finish(): TextValues {
    const offsets = this.offsets.subarray(0, this.count + 1);
    return { bytes: this.bytes.subarray(0, offsets[this.count]), offsets };
  }

  #growBytes(needed: number): void {
    const larger = new Uint8Array(Math.max(needed, 2 * this.bytes.length));
    larger.set(this.bytes);
    this.bytes = larger;
    this.#view = new DataView(larger.buffer);
  }

  #growOffsets(): void {
    const larger = new Int32Array(2 * this.offsets.length);
    larger.set(this.offsets);
    this.offsets = larger;
  }
}

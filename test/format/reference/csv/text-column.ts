import type { Nulls, TextColumn } from '../../../../src/format/batch.js';
import { TextValuesBuilder } from './text-values.js';

/** Number of distinct values at which a column is first checked for repetition. */
const FIRST_LIMIT = 1024;

/** The text of one column in one batch: a dictionary, or plain text once the dictionary does not pay. */
export class TextColumnBuilder {
  readonly dictionary: TextValuesBuilder;
  readonly #indices: Int32Array<ArrayBuffer>;
  /** Open addressing: index + 1 of a dictionary entry, 0 if free; at most half full. */
  #slots = new Int32Array(2 * FIRST_LIMIT);
  #plain: TextValuesBuilder | undefined;

  constructor(indices: Int32Array<ArrayBuffer>) {
    this.#indices = indices;
    this.dictionary = new TextValuesBuilder(FIRST_LIMIT, 16 * 1024);
  }

  /**
   * Appends the text of the next row; empty for a null. Returns its index in the dictionary, -1 if there is none
   * (a null, a plain column), -2 if it is not UTF-8.
   */
  append(row: number, source: Buffer, start: number, end: number): number {
    if (this.#plain) return this.#plain.append(source, start, end) ? -1 : -2;
    if (start === end) {
      this.#indices[row] = -1;
      return -1;
    }
    let slot = this.#slotOf(source, start, end);
    const found = this.#slots[slot] as number;
    if (found > 0) {
      this.#indices[row] = found - 1;
      return found - 1;
    }
    const index = this.dictionary.count;
    if (2 * index === this.#slots.length) {
      if (2 * index > row) {
        this.#turnPlain(row);
        return this.append(row, source, start, end);
      }
      this.#rehash();
      slot = this.#slotOf(source, start, end);
    }
    if (!this.dictionary.append(source, start, end)) return -2;
    this.#slots[slot] = index + 1;
    this.#indices[row] = index;
    return index;
  }

  finish(rows: number, nulls: Nulls): TextColumn {
    if (this.#plain) return { kind: 'text', encoding: 'plain', text: this.#plain.finish(), ...nulls };
    const indices = this.#indices.subarray(0, rows);
    if (nulls.nullCount > 0) for (let row = 0; row < rows; row++) if (indices[row] === -1) indices[row] = 0;
    return { kind: 'text', encoding: 'dictionary', indices, dictionary: this.dictionary.finish(), ...nulls };
  }

  #slotOf(source: Uint8Array, start: number, end: number): number {
    const slots = this.#slots;
    const { bytes, offsets } = this.dictionary;
    const mask = slots.length - 1;
    let slot = hash(source, start, end) & mask;
    for (;;) {
      const index = (slots[slot] as number) - 1;
      if (index < 0) return slot;
      const from = offsets[index] as number;
      if ((offsets[index + 1] as number) - from === end - start && same(source, start, end, bytes, from)) {
        return slot;
      }
      slot = (slot + 1) & mask;
    }
  }

  #rehash(): void {
    this.#slots = new Int32Array(2 * this.#slots.length);
    const { bytes, offsets, count } = this.dictionary;
    for (let index = 0; index < count; index++) {
      const slot = this.#slotOf(bytes, offsets[index] as number, offsets[index + 1] as number);
      this.#slots[slot] = index + 1;
    }
  }

  #turnPlain(rows: number): void {
    const { bytes, offsets } = this.dictionary;
    const source = Buffer.from(bytes.buffer);
    this.#plain = new TextValuesBuilder(this.#indices.length, 4 * bytes.length);
    for (let row = 0; row < rows; row++) {
      const index = this.#indices[row] as number;
      if (index < 0) this.#plain.append(source, 0, 0);
      else this.#plain.append(source, offsets[index] as number, offsets[index + 1] as number);
    }
  }
}

/** FNV-1a, with a last step that mixes the high bits into the low ones, which the table uses. */
function hash(bytes: Uint8Array, start: number, end: number): number {
  let h = 0x811c9dc5;
  for (let p = start; p < end; p++) h = Math.imul(h ^ (bytes[p] as number), 0x01000193);
  return h ^ (h >>> 15);
}

function same(a: Uint8Array, start: number, end: number, b: Uint8Array, from: number): boolean {
  for (let p = start, q = from; p < end; p++, q++) if (a[p] !== b[q]) return false;
  return true;
}

import type { TextColumn } from '../../format/batch.js';

const INITIAL_SLOTS = 1024;
const MAX_LOAD = 0.75;

/**
 * Texts per symbol as hashes of 64 bits, 8 to 16 bytes each. Two of 12 million texts have the same hash with a
 * probability of one in 250,000.
 */
export class TextSet {
  /** Two words per slot, which are 0 if the slot is free. */
  #slots = new Int32Array(2 * INITIAL_SLOTS);
  #size = 0;
  #low = 0;
  #high = 0;

  /** Adds a cell. @returns whether the text is new for this symbol. */
  add(symbol: number, column: TextColumn, row: number): boolean {
    this.#hash(symbol, column, row);
    if (!this.#insert(this.#slots, this.#low, this.#high)) return false;
    this.#size++;
    if (2 * this.#size > MAX_LOAD * this.#slots.length) this.#grow();
    return true;
  }

  #insert(slots: Int32Array, low: number, high: number): boolean {
    const mask = slots.length - 1;
    for (let at = (low << 1) & mask; ; at = (at + 2) & mask) {
      const [slotLow, slotHigh] = [slots[at] as number, slots[at + 1] as number];
      if (slotLow === 0 && slotHigh === 0) {
        slots[at] = low;
        slots[at + 1] = high;
        return true;
      }
      if (slotLow === low && slotHigh === high) return false;
    }
  }

  #grow(): void {
    const old = this.#slots;
    const slots = new Int32Array(2 * old.length);
    for (let at = 0; at < old.length; at += 2) {
      const [low, high] = [old[at] as number, old[at + 1] as number];
      if (low !== 0 || high !== 0) this.#insert(slots, low, high);
    }
    this.#slots = slots;
  }

  /** MurmurHash3 with two lanes that are mixed at the end; never 0. */
  #hash(symbol: number, column: TextColumn, row: number): void {
    const { bytes, offsets } = column.encoding === 'dictionary' ? column.dictionary : column.text;
    const at = column.encoding === 'dictionary' ? (column.indices[row] as number) : row;
    const start = offsets[at] as number;
    const end = offsets[at + 1] as number;
    let a = symbol ^ 0x2f8b1c5d;
    let b = symbol ^ 0x6d1e9a37;
    for (let p = start; p < end; p += 4) {
      const word =
        (bytes[p] as number) |
        ((p + 1 < end ? (bytes[p + 1] as number) : 0) << 8) |
        ((p + 2 < end ? (bytes[p + 2] as number) : 0) << 16) |
        ((p + 3 < end ? (bytes[p + 3] as number) : 0) << 24);
      a = scramble(a, word, 0xcc9e2d51, 0x1b873593) + b;
      b = scramble(b, word, 0x239b961b, 0x38b34ae5) + a;
    }
    a ^= end - start;
    b ^= end - start;
    a = finish(a + b);
    b = finish(b + a);
    this.#low = a;
    this.#high = a === 0 && b === 0 ? 1 : b;
  }
}

function scramble(hash: number, word: number, first: number, second: number): number {
  const key = Math.imul(word, first);
  const mixed = hash ^ Math.imul((key << 15) | (key >>> 17), second);
  return Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0x561ccd1b;
}

function finish(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

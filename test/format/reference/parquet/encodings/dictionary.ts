import type { TextValues } from '../../../../../src/format/batch.js';

export interface Dictionary<T> {
  /** Distinct values, in order of first appearance. */
  readonly values: T;
  readonly size: number;
  /** Position of each value among the distinct ones. */
  readonly indices: Int32Array;
}

/** If most of the first values are distinct, the dictionary is abandoned. */
const TRIAL = 8192;

/** Initial capacity for distinct doubles: a small table stays in the processor's caches. */
const FIRST_ROOM = 1024;

/** The dictionary of doubles; undefined if it exceeds `most` values. Bits are compared: -0 differs from 0. */
export function doubleDictionary(values: Float64Array, most: number): Dictionary<Float64Array> | undefined {
  const words = new Int32Array(values.buffer, values.byteOffset, values.length * 2);
  const indices = new Int32Array(values.length);
  let distinct = new Int32Array(2 * FIRST_ROOM);
  let slots = doubleSlots(distinct, 0);
  let size = 0;
  for (let i = 0; i < values.length; i++) {
    const low = words[2 * i] as number;
    const high = words[2 * i + 1] as number;
    const mask = slots.length - 1;
    let slot = hashOfDouble(low, high) & mask;
    let index = (slots[slot] as number) - 1;
    while (index >= 0 && (distinct[2 * index] !== low || distinct[2 * index + 1] !== high)) {
      slot = (slot + 1) & mask;
      index = (slots[slot] as number) - 1;
    }
    if (index < 0) {
      if (size + 1 > most || isMostlyDistinct(size, i)) return undefined;
      index = size++;
      slots[slot] = size;
      distinct[2 * index] = low;
      distinct[2 * index + 1] = high;
      if (2 * size === distinct.length) {
        const larger = new Int32Array(2 * distinct.length);
        larger.set(distinct);
        distinct = larger;
        slots = doubleSlots(distinct, size);
      }
    }
    indices[i] = index;
  }
  return { values: new Float64Array(distinct.buffer, 0, size), size, indices };
}

/** The hash table for the current capacity, with the existing doubles. */
function doubleSlots(distinct: Int32Array, size: number): Int32Array<ArrayBuffer> {
  const { slots, mask } = hashTable(distinct.length / 2);
  for (let index = 0; index < size; index++) {
    let slot = hashOfDouble(distinct[2 * index] as number, distinct[2 * index + 1] as number) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = index + 1;
  }
  return slots;
}

function hashOfDouble(low: number, high: number): number {
  const mixed = Math.imul(low ^ (low >>> 15), 0x85ebca6b) ^ Math.imul(high, 0xc2b2ae35);
  return mixed ^ (mixed >>> 13);
}

/** Like `doubleDictionary`, for texts. */
export function textDictionary(text: TextValues, most: number): Dictionary<TextValues> | undefined {
  const { bytes, offsets } = text;
  const count = offsets.length - 1;
  const firsts = new Int32Array(Math.min(most, count));
  const indices = new Int32Array(count);
  const { slots, mask } = hashTable(firsts.length);
  let size = 0;
  for (let i = 0; i < count; i++) {
    let slot = hashOf(bytes, offsets[i] as number, offsets[i + 1] as number) & mask;
    let index = (slots[slot] as number) - 1;
    while (index >= 0 && !isEqual(text, firsts[index] as number, i)) {
      slot = (slot + 1) & mask;
      index = (slots[slot] as number) - 1;
    }
    if (index < 0) {
      if (size === firsts.length || isMostlyDistinct(size, i)) return undefined;
      index = size++;
      slots[slot] = size;
      firsts[index] = i;
    }
    indices[i] = index;
  }
  return { values: pick(text, firsts.subarray(0, size)), size, indices };
}

/** Open addressing, at most half full; a slot holds an index plus one, or 0. */
function hashTable(entries: number): { slots: Int32Array<ArrayBuffer>; mask: number } {
  const size = 2 ** Math.ceil(Math.log2(Math.max(entries, 1) * 2));
  return { slots: new Int32Array(size), mask: size - 1 };
}

function isMostlyDistinct(distinct: number, seen: number): boolean {
  return seen < TRIAL && distinct > TRIAL * 0.9;
}

function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = to - from;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
  return hash ^ (hash >>> 15);
}

function isEqual({ bytes, offsets }: TextValues, a: number, b: number): boolean {
  const fromA = offsets[a] as number;
  const fromB = offsets[b] as number;
  const length = (offsets[a + 1] as number) - fromA;
  if (length !== (offsets[b + 1] as number) - fromB) return false;
  for (let i = 0; i < length; i++) if (bytes[fromA + i] !== bytes[fromB + i]) return false;
  return true;
}

function pick({ bytes, offsets }: TextValues, rows: Int32Array): TextValues {
  const parts = Array.from(rows, (row) => bytes.subarray(offsets[row], offsets[row + 1]));
  const picked = new Int32Array(rows.length + 1);
  parts.forEach((part, i) => {
    picked[i + 1] = (picked[i] as number) + part.length;
  });
  const all = new Uint8Array(picked.at(-1) ?? 0);
  parts.forEach((part, i) => {
    all.set(part, picked[i]);
  });
  return { bytes: all, offsets: picked };
}

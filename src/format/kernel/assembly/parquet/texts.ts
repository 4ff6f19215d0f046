// Texts end to end, with an offset before each and one behind the last.
import { allocate, enlarge } from '../memory';

/** How much text a batch takes before it ends early, in bytes; counted down. */
const MOST_TEXT: i32 = 32 * 1024 * 1024;

export let budget: i32 = MOST_TEXT;

export function resetBudget(): void {
  budget = MOST_TEXT;
}

@unmanaged
export class Texts {
  bytes: usize;
  /** Bytes that there is room for. */
  room: u32;
  offsets: usize;
  /** Values that there is room for. */
  most: i32;
  count: i32;
}

/** Room for so many texts; no bytes yet. Null where the memory is full. */
export function createTexts(most: i32): Texts | null {
  const at = allocate(offsetof<Texts>());
  const offsets = allocate((<u64>most + 1) << 2);
  if (at == 0 || offsets == 0) return null;
  const texts = changetype<Texts>(at);
  texts.offsets = offsets;
  texts.most = most;
  return texts;
}

// @ts-ignore: decorator
@inline
export function lengthOf(texts: Texts): i32 {
  return load<i32>(texts.offsets + (<usize>texts.count << 2));
}

/** Makes room for one more text; false where the memory is full. */
export function reserve(texts: Texts, length: i32): bool {
  const used = <u32>lengthOf(texts);
  const needed = used + <u32>length;
  if (needed > texts.room) {
    const room = max<u32>(max<u32>(needed, 2 * texts.room), 16 * 1024);
    const bytes = enlarge(texts.bytes, used, room);
    if (bytes == 0) return false;
    texts.bytes = bytes;
    texts.room = room;
  }
  if (texts.count == texts.most) {
    const most = max(2 * texts.most, 1024);
    const offsets = enlarge(texts.offsets, <usize>(texts.count + 1) << 2, (<u64>most + 1) << 2);
    if (offsets == 0) return false;
    texts.offsets = offsets;
    texts.most = most;
  }
  return true;
}

/** Makes room for so many texts, of so many bytes altogether, that are put there from outside. */
export function reserveAll(texts: Texts, count: i32, bytes: i32): bool {
  if (<u32>bytes > texts.room) {
    texts.bytes = allocate(bytes);
    if (texts.bytes == 0) return false;
    texts.room = bytes;
  }
  if (count > texts.most) {
    texts.offsets = allocate((<u64>count + 1) << 2);
    if (texts.offsets == 0) return false;
    texts.most = count;
  }
  texts.count = count;
  return true;
}

/** Adds a text, 16 bytes at a time, some past its end; false where the memory is full. */
// @ts-ignore: decorator
@inline
export function append(texts: Texts, p: usize, length: i32): bool {
  if (<u32>(lengthOf(texts) + length) > texts.room || texts.count == texts.most) return appendGrown(texts, p, length);
  put(texts, p, length);
  return true;
}

// @ts-ignore: decorator
@inline
function put(texts: Texts, p: usize, length: i32): void {
  const offset = texts.offsets + (<usize>texts.count << 2);
  const at = load<i32>(offset);
  const to = texts.bytes + at;
  for (let i: i32 = 0; i < length; i += 16) v128.store(to + i, v128.load(p + i));
  store<i32>(offset + 4, at + length);
  texts.count++;
  budget -= length;
}

function appendGrown(texts: Texts, p: usize, length: i32): bool {
  if (!reserve(texts, length)) return false;
  put(texts, p, length);
  return true;
}

/** Whether all bytes of a text are ASCII, which needs no look at how UTF-8 is made. */
export function isAscii(p: usize, length: i32): bool {
  let high = 0;
  for (let i: i32 = 0; i < length; i += 16) {
    const rest = length - i;
    const bits = i8x16.bitmask(v128.load(p + i));
    high |= rest < 16 ? bits & ((1 << rest) - 1) : bits;
  }
  return high == 0;
}

/** Whether two texts of the same length are the same. */
export function isSame(a: usize, b: usize, length: i32): bool {
  for (let i: i32 = 0; i < length; i += 16) {
    const different = i8x16.bitmask(i8x16.eq(v128.load(a + i), v128.load(b + i))) ^ 0xffff;
    const rest = length - i;
    if (rest < 16 ? different & ((1 << rest) - 1) : different) return false;
  }
  return true;
}

const MIX: u64 = 0x9e3779b97f4a7c15;

/** The first eight bytes of a text, zeros behind its end. */
// @ts-ignore: decorator
@inline
export function firstBytes(p: usize, length: i32): u64 {
  const bytes = load<u64>(p);
  return length < 8 ? bytes & ((<u64>1 << (length << 3)) - 1) : bytes;
}

/** The eight bytes behind those. */
// @ts-ignore: decorator
@inline
export function secondBytes(p: usize, length: i32): u64 {
  if (length <= 8) return 0;
  const bytes = load<u64>(p, 8);
  return length < 16 ? bytes & ((<u64>1 << ((length - 8) << 3)) - 1) : bytes;
}

/** Mixes all bytes of a text of which the first 16 are given. */
// @ts-ignore: decorator
@inline
export function hashOf(first: u64, second: u64, p: usize, length: i32): u64 {
  let hash = (first ^ rotl<u64>(second, 29) ^ <u64>length) * MIX;
  if (length > 16) {
    // From the 17th byte on, the last eight wherever they begin.
    for (let i: i32 = 16; i + 8 < length; i += 8) hash = (rotl<u64>(hash, 23) ^ load<u64>(p + i)) * MIX;
    hash = (rotl<u64>(hash, 23) ^ load<u64>(p + length - 8)) * MIX;
  }
  return hash ^ (hash >> 32);
}

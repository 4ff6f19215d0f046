// Texts in one buffer, with an offset before each and one after the last.
import { allocate, enlarge } from '../memory';

@unmanaged
export class Texts {
  bytes: usize;
  /** Capacity for bytes. */
  room: u32;
  offsets: usize;
  /** Capacity for texts. */
  capacity: i32;
  count: i32;
}

/** Allocates the offsets of texts, but no bytes. Null if the memory is full. */
export function createTexts(capacity: i32): Texts | null {
  const at = allocate(offsetof<Texts>());
  const offsets = allocate((<u64>capacity + 1) << 2);
  if (at == 0 || offsets == 0) return null;
  const texts = changetype<Texts>(at);
  texts.offsets = offsets;
  texts.capacity = capacity;
  return texts;
}

// @ts-ignore: decorator
@inline
export function getTextBytes(texts: Texts): i32 {
  return load<i32>(texts.offsets + (<usize>texts.count << 2));
}

/** Ensures room for one more text; false if the memory is full. */
export function reserve(texts: Texts, length: i32): bool {
  const used = <u32>getTextBytes(texts);
  const needed = used + <u32>length;
  if (needed > texts.room) {
    const room = max<u32>(max<u32>(needed, 2 * texts.room), 16 * 1024);
    const bytes = enlarge(texts.bytes, used, room);
    if (bytes == 0) return false;
    texts.bytes = bytes;
    texts.room = room;
  }
  if (texts.count == texts.capacity) {
    const capacity = max(2 * texts.capacity, 1024);
    const offsets = enlarge(texts.offsets, <usize>(texts.count + 1) << 2, (<u64>capacity + 1) << 2);
    if (offsets == 0) return false;
    texts.offsets = offsets;
    texts.capacity = capacity;
  }
  return true;
}

/** Appends a text, 16 bytes at a time and beyond its end; false if the memory is full. */
// @ts-ignore: decorator
@inline
export function append(texts: Texts, p: usize, length: i32): bool {
  if (<u32>(getTextBytes(texts) + length) > texts.room || texts.count == texts.capacity) return appendGrown(texts, p, length);
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
}

function appendGrown(texts: Texts, p: usize, length: i32): bool {
  if (!reserve(texts, length)) return false;
  put(texts, p, length);
  return true;
}

/** Appends empty texts up to a number of texts, for which there must be room. */
export function padTexts(texts: Texts, count: i32): void {
  const end = getTextBytes(texts);
  for (; texts.count < count; texts.count++) store<i32>(texts.offsets + (<usize>(texts.count + 1) << 2), end);
}

/** Whether all bytes of a text are ASCII, so that it need not be checked for valid UTF-8. */
export function isAscii(p: usize, length: i32): bool {
  let high = 0;
  for (let i: i32 = 0; i < length; i += 16) {
    const rest = length - i;
    const bits = i8x16.bitmask(v128.load(p + i));
    high |= rest < 16 ? bits & ((1 << rest) - 1) : bits;
  }
  return high == 0;
}

/** Whether two texts of the same length are equal. */
export function isSame(a: usize, b: usize, length: i32): bool {
  for (let i: i32 = 0; i < length; i += 16) {
    const different = i8x16.bitmask(i8x16.eq(v128.load(a + i), v128.load(b + i))) ^ 0xffff;
    const rest = length - i;
    if (rest < 16 ? different & ((1 << rest) - 1) : different) return false;
  }
  return true;
}

const MIX: u64 = 0x9e3779b97f4a7c15;

/** The first eight bytes of a text, padded with zeros. */
// @ts-ignore: decorator
@inline
export function firstBytes(p: usize, length: i32): u64 {
  const bytes = load<u64>(p);
  return length < 8 ? bytes & ((<u64>1 << (length << 3)) - 1) : bytes;
}

/** The next eight bytes. */
// @ts-ignore: decorator
@inline
export function secondBytes(p: usize, length: i32): u64 {
  if (length <= 8) return 0;
  const bytes = load<u64>(p, 8);
  return length < 16 ? bytes & ((<u64>1 << ((length - 8) << 3)) - 1) : bytes;
}

/** Hashes a text. @param first its first eight bytes. @param second the next eight. */
// @ts-ignore: decorator
@inline
export function hashText(first: u64, second: u64, p: usize, length: i32): u64 {
  let hash = (first ^ rotl<u64>(second, 29) ^ <u64>length) * MIX;
  if (length > 16) {
    // From byte 17 on in steps of eight; the last eight bytes may overlap.
    for (let i: i32 = 16; i + 8 < length; i += 8) hash = (rotl<u64>(hash, 23) ^ load<u64>(p + i)) * MIX;
    hash = (rotl<u64>(hash, 23) ^ load<u64>(p + length - 8)) * MIX;
  }
  return hash ^ (hash >> 32);
}

// Texts in one buffer, with an offset before each and one after the last.
import { allocate, enlarge } from '../../assembly/memory';

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

// The distinct texts of a column in one batch, in order of first appearance.

/** Number of distinct values at which a column is first checked for repetition. */
const FIRST_LIMIT: i32 = 1024;

/** Key of a text: complete if the text has up to 16 bytes. */
@unmanaged
class Entry {
  first: u64;
  second: u64;
  hash: u64;
  length: i32;
}

@unmanaged
export class Dictionary {
  texts: Texts;
  entries: usize;
  /** Capacity for entries. */
  maxEntries: i32;
  /** Open addressing: index + 1 of an entry, 0 if free; at most half full. */
  slots: usize;
  /** Capacity for slots; `mask` is one less than the number in use. */
  slotRoom: i32;
  mask: i32;
}

/** Null if the memory is full. */
export function createDictionary(): Dictionary | null {
  const at = allocate(offsetof<Dictionary>());
  const texts = createTexts(FIRST_LIMIT);
  const entries = allocate(<u64>FIRST_LIMIT * offsetof<Entry>());
  const slots = allocate(<u64>FIRST_LIMIT << 3);
  if (at == 0 || texts == null || entries == 0 || slots == 0) return null;
  const dictionary = changetype<Dictionary>(at);
  dictionary.texts = texts;
  dictionary.entries = entries;
  dictionary.maxEntries = FIRST_LIMIT;
  dictionary.slots = slots;
  dictionary.slotRoom = 2 * FIRST_LIMIT;
  dictionary.mask = 2 * FIRST_LIMIT - 1;
  return dictionary;
}

export function clearDictionary(dictionary: Dictionary): void {
  dictionary.texts.count = 0;
  dictionary.mask = 2 * FIRST_LIMIT - 1;
  memory.fill(dictionary.slots, 0, <usize>FIRST_LIMIT << 3);
}

// @ts-ignore: decorator
@inline
function entryAt(dictionary: Dictionary, index: i32): Entry {
  return changetype<Entry>(dictionary.entries + <usize>index * offsetof<Entry>());
}

/** Result of `find` for a text that is not in the dictionary. */
export const UNKNOWN: i32 = -1;

/** Free slot and key of the text that the last call of `find` did not find. */
let freeSlot: usize = 0;
let missingFirst: u64 = 0;
let missingSecond: u64 = 0;
let missingHash: u64 = 0;

/** Finds the index of a text, or UNKNOWN. Reads up to 16 bytes, even of a shorter text. */
export function find(dictionary: Dictionary, p: usize, length: i32): i32 {
  const first = firstBytes(p, length);
  const second = secondBytes(p, length);
  const hash = hashText(first, second, p, length);
  const mask = dictionary.mask;
  const slots = dictionary.slots;
  let slot = <i32>(hash >> 7) & mask;
  let at = slots + (<usize>slot << 2);
  for (let index = load<i32>(at) - 1; index >= 0; index = load<i32>(at) - 1) {
    const entry = entryAt(dictionary, index);
    if (entry.first == first && entry.second == second && entry.length == length) {
      if (length <= 16) return index;
      const texts = dictionary.texts;
      if (isSame(texts.bytes + load<i32>(texts.offsets + (<usize>index << 2)), p, length)) return index;
    }
    slot = (slot + 1) & mask;
    at = slots + (<usize>slot << 2);
  }
  freeSlot = at;
  missingFirst = first;
  missingSecond = second;
  missingHash = hash;
  return UNKNOWN;
}

/** Whether the table must grow, or the dictionary must be abandoned, before another text is added. */
// @ts-ignore: decorator
@inline
export function isCrowded(dictionary: Dictionary): bool {
  return 2 * dictionary.texts.count > dictionary.mask;
}

/** Adds the text that the last call of `find` did not find. Returns its index; -1 if the memory is full. */
export function add(dictionary: Dictionary, p: usize, length: i32): i32 {
  const index = dictionary.texts.count;
  if (index == dictionary.maxEntries) {
    const size = offsetof<Entry>();
    const entries = enlarge(dictionary.entries, <usize>index * size, <u64>index * 2 * size);
    if (entries == 0) return -1;
    dictionary.entries = entries;
    dictionary.maxEntries = 2 * index;
  }
  if (!append(dictionary.texts, p, length)) return -1;
  const entry = entryAt(dictionary, index);
  entry.first = missingFirst;
  entry.second = missingSecond;
  entry.hash = missingHash;
  entry.length = length;
  store<i32>(freeSlot, index + 1);
  return index;
}

/** Doubles the slots; false if the memory is full. */
export function growDictionary(dictionary: Dictionary): bool {
  const size = 2 * (dictionary.mask + 1);
  if (size > dictionary.slotRoom) {
    const slots = allocate(<u64>size << 2);
    if (slots == 0) return false;
    dictionary.slots = slots;
    dictionary.slotRoom = size;
  } else memory.fill(dictionary.slots, 0, <usize>size << 2);
  const mask = size - 1;
  dictionary.mask = mask;
  for (let index = 0; index < dictionary.texts.count; index++) {
    let slot = <i32>(entryAt(dictionary, index).hash >> 7) & mask;
    while (load<i32>(dictionary.slots + (<usize>slot << 2)) != 0) slot = (slot + 1) & mask;
    store<i32>(dictionary.slots + (<usize>slot << 2), index + 1);
  }
  return true;
}

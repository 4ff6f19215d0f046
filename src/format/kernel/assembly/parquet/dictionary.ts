// The distinct texts of a column in one batch, in order of first appearance.
import { allocate, enlarge } from '../memory';
import { append, createTexts, firstBytes, hashText, isSame, secondBytes, Texts } from './texts';

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

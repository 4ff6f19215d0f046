// Decoding tables of DEFLATE (RFC 1951, section 3.2). A table is indexed by the next bits of the stream. Entries:
// - literals: LITERAL | count << 24 | second << 16 | first << 8 | bits; `count` is 1 or 2.
// - lengths and distances: base << 16 | bits of the code << 8 | bits with the extra ones.
// - SPECIAL | SUBTABLE | start of a subtable << 16 | its index bits << 8 | bits, and SPECIAL with END or INVALID.
// Shifts and counts use only the lowest 6 bits of an entry.

export const LITERAL: u32 = 0x80000000;
export const SPECIAL: u32 = 0x8000;
export const SUBTABLE: u32 = 0x4000;
export const END: u32 = 0x2000;
const INVALID: u32 = 0x1000;

/** Index bits of the main tables. With 11 or 12, misses of the processor's cache cost more than subtables save. */
// @ts-ignore: decorator
@inline
export const LENGTH_BITS = 10;
// @ts-ignore: decorator
@inline
export const DISTANCE_BITS = 8;
const PRECODE_BITS = 7;
const MAX_CODE_BITS = 15;

/** Entries of the tables: main tables, and all subtables that a code can need. */
const LENGTH_ENTRIES = 6144;
/** Distance of the two tables in memory, so that both have one address in the decoding loop. */
// @ts-ignore: decorator
@inline
export const DISTANCE_TABLE: usize = 4 * LENGTH_ENTRIES;
const DISTANCE_ENTRIES = 2048;

const LENGTH_SYMBOLS = 288;
const DISTANCE_SYMBOLS = 32;
const END_OF_BLOCK = 256;

const LENGTH_BASES: StaticArray<u16> = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
const LENGTH_EXTRAS: StaticArray<u8> = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_BASES: StaticArray<u16> = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577];
const DISTANCE_EXTRAS: StaticArray<u8> = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13];

/** Addresses, from `setUpTables`. */
export let lengthTable: usize = 0;
export let precodeTable: usize = 0;
/** Code lengths of the symbols of a block, and of the precode; a byte each. */
export let codeLengths: usize = 0;
let lengthEntries: usize = 0;
let distanceEntries: usize = 0;
let sortedSymbols: usize = 0;
let counts: usize = 0;
let starts: usize = 0;

/** Reserves some 40 KB from `base` on. @returns the address after them. */
export function setUpTables(base: usize): usize {
  lengthTable = base;
  base += DISTANCE_TABLE + 4 * DISTANCE_ENTRIES;
  precodeTable = base;
  base += 4 << PRECODE_BITS;
  codeLengths = base;
  base += 512;
  lengthEntries = base;
  base += 4 * LENGTH_SYMBOLS;
  distanceEntries = base;
  base += 4 * DISTANCE_SYMBOLS;
  sortedSymbols = base;
  base += 2 * 512;
  counts = base;
  base += 4 * 16;
  starts = base;
  base += 4 * 16;
  for (let symbol = 0; symbol < LENGTH_SYMBOLS; symbol++) {
    let entry = SPECIAL | INVALID;
    if (symbol < END_OF_BLOCK) entry = LITERAL | (1 << 24) | (<u32>symbol << 8);
    else if (symbol == END_OF_BLOCK) entry = SPECIAL | END;
    else if (symbol < 286) entry = (<u32>unchecked(LENGTH_BASES[symbol - 257]) << 16) | unchecked(LENGTH_EXTRAS[symbol - 257]);
    store<u32>(lengthEntries + (<usize>symbol << 2), entry);
  }
  for (let symbol = 0; symbol < DISTANCE_SYMBOLS; symbol++) {
    const entry = symbol < 30 ? (<u32>unchecked(DISTANCE_BASES[symbol]) << 16) | unchecked(DISTANCE_EXTRAS[symbol]) : SPECIAL | INVALID;
    store<u32>(distanceEntries + (<usize>symbol << 2), entry);
  }
  return base;
}

/** Builds the table of the precode. @returns false for code lengths that zlib refuses. */
export function buildPrecode(lengths: usize): bool {
  return build(precodeTable, 0, lengths, 19, PRECODE_BITS);
}

/** Builds the table of literals and lengths. @returns false for code lengths that zlib refuses. */
export function buildLengths(lengths: usize, symbols: i32): bool {
  return build(lengthTable, lengthEntries, lengths, symbols, LENGTH_BITS);
}

/** Builds the table of distances. @returns false for code lengths that zlib refuses. */
export function buildDistances(lengths: usize, symbols: i32): bool {
  return build(lengthTable + DISTANCE_TABLE, distanceEntries, lengths, symbols, DISTANCE_BITS);
}

/**
 * Builds a table: entries of a code length are set by their canonical codes, bits reversed, and the table is doubled
 * for each further bit.
 * @param entries of the symbols, without the bits of the code; 0 for the precode.
 */
function build(table: usize, entries: usize, lengths: usize, symbols: i32, indexBits: i32): bool {
  memory.fill(counts, 0, 64);
  for (let i = 0; i < symbols; i++) {
    const count = counts + (<usize>load<u8>(lengths + i) << 2);
    store<i32>(count, load<i32>(count) + 1);
  }
  store<i32>(counts, 0);
  let unused = 1;
  let used = 0;
  let longest = 0;
  for (let bits = 1; bits <= MAX_CODE_BITS; bits++) {
    const count = load<i32>(counts + (bits << 2));
    unused = (unused << 1) - count;
    if (unused < 0) return false;
    store<i32>(starts + (bits << 2), used);
    used += count;
    if (count) longest = bits;
  }
  // An incomplete code is valid only if it has one symbol of one bit, or none.
  if (unused > 0 && !(longest <= 1 && entries != 0)) return false;
  for (let i = 0; i < symbols; i++) {
    const bits = load<u8>(lengths + i);
    if (bits == 0) continue;
    const start = starts + (<usize>bits << 2);
    const at = load<i32>(start);
    store<u16>(sortedSymbols + (<usize>at << 1), <u16>i);
    store<i32>(start, at + 1);
  }
  const size: u32 = 1 << indexBits;
  if (unused > 0) {
    for (let i: u32 = 0; i < size; i++) store<u32>(table + (i << 2), SPECIAL | INVALID);
    if (used == 0) return true;
  }
  let code: u32 = 0;
  let next: usize = sortedSymbols;
  let bits = 1;
  let left = load<i32>(counts + 4);
  while (left == 0) left = load<i32>(counts + (++bits << 2));
  let filled: u32 = 1 << bits;
  if (bits <= indexBits) {
    for (;;) {
      do {
        store<u32>(table + (code << 2), entryOf(entries, next, bits));
        next += 2;
        if (code == filled - 1) {
          for (; bits < indexBits; bits++) filled = double(table, filled);
          return true;
        }
        code = nextCode(code, filled);
      } while (--left);
      if (unused > 0) {
        // The only symbol has the code 0; entries of the code 1 stay invalid.
        for (let i: u32 = 2; i < size; i += 2) store<u32>(table + (i << 2), load<u32>(table));
        return true;
      }
      do {
        if (++bits <= indexBits) filled = double(table, filled);
        left = load<i32>(counts + (bits << 2));
      } while (left == 0);
      if (bits > indexBits) break;
    }
  }
  filled = 1 << bits;
  buildSubtables(table, entries, next, code, bits, left, filled, indexBits);
  return true;
}

/** Builds the subtables of codes that are longer than the index of the main table. */
function buildSubtables(table: usize, entries: usize, next: usize, code: u32, bits: i32, left: i32, filled: u32, indexBits: i32): void {
  const size: u32 = 1 << indexBits;
  let end: u32 = size;
  let start: u32 = 0;
  let prefix: u32 = 0xffffffff;
  for (;;) {
    if ((code & (size - 1)) != prefix) {
      prefix = code & (size - 1);
      let subtableBits = bits - indexBits;
      let codes = left;
      while (codes < 1 << subtableBits) {
        subtableBits++;
        codes = (codes << 1) + load<i32>(counts + ((indexBits + subtableBits) << 2));
      }
      start = end;
      end += 1 << subtableBits;
      store<u32>(table + (prefix << 2), SPECIAL | SUBTABLE | (start << 16) | (<u32>subtableBits << 8) | <u32>indexBits);
    }
    const restBits = bits - indexBits;
    const entry = entryOf(entries, next, restBits);
    next += 2;
    for (let i: u32 = start + (code >> indexBits); i < end; i += 1 << restBits) store<u32>(table + (i << 2), entry);
    if (code == filled - 1) return;
    code = nextCode(code, filled);
    left--;
    while (left == 0) {
      filled <<= 1;
      left = load<i32>(counts + (++bits << 2));
    }
  }
}

// @ts-ignore: decorator
@inline
function entryOf(entries: usize, sorted: usize, bits: i32): u32 {
  const symbol = <usize>load<u16>(sorted);
  const entry = entries == 0 ? <u32>symbol << 16 : load<u32>(entries + (symbol << 2));
  return entry + <u32>bits + (entry & LITERAL ? 0 : <u32>bits << 8);
}

// @ts-ignore: decorator
@inline
function double(table: usize, filled: u32): u32 {
  memory.copy(table + (filled << 2), table, filled << 2);
  return filled << 1;
}

/** The code after `code`, among codes with `filled` values, with its bits reversed. */
// @ts-ignore: decorator
@inline
function nextCode(code: u32, filled: u32): u32 {
  const bit = <u32>1 << (31 - clz(code ^ (filled - 1)));
  return (code & (bit - 1)) | bit;
}

/** Lets an entry decode two literals at once where both codes fit its index. */
export function pairLiterals(): void {
  for (let i: u32 = (1 << LENGTH_BITS) - 1; i > 0; i--) pairLiteral(i);
  pairLiteral(0);
}

// @ts-ignore: decorator
@inline
function pairLiteral(i: u32): void {
  const first = load<u32>(lengthTable + (i << 2));
  if (!(first & LITERAL)) return;
  const firstBits = first & 63;
  const second = load<u32>(lengthTable + ((i >> firstBits) << 2));
  // Entries with lower indexes are not paired yet; index 0 follows itself, and is paired last.
  if (!(second & LITERAL) || firstBits + (second & 63) > <u32>LENGTH_BITS) return;
  const bits = firstBits + (second & 63);
  store<u32>(lengthTable + (i << 2), LITERAL | (2 << 24) | ((second & 0xff00) << 8) | (first & 0xff00) | bits);
}

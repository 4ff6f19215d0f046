/**
 * Huffman codes of DEFLATE (RFC 1951, section 3.2). A code is kept in its canonical form, which decides, and two
 * of the three in a table as well, which is fast: an entry for each value of the next bits of the input.
 *
 * An entry: the low byte says how many bits are used up, extra bits included. Of a literal (or two), bits 8 and 9
 * count the bytes, which stand in the upper half. Of a length or a distance, bits 8 to 11 say how many of the
 * bits belong to the code itself, and the upper half is the base.
 */

/** Literals, or one. */
export const LITERAL: u32 = 0x8000;
/** Neither literal nor length nor distance: the upper half says what. */
export const OTHER: u32 = 0x4000;
export const END: u32 = OTHER | (1 << 16);
/** The code is longer than the bits at hand. */
export const MORE: u32 = OTHER | (2 << 16);
/** The code is longer than the table's bits. */
export const LONG: u32 = OTHER | (3 << 16);
export const BAD: u32 = OTHER | (4 << 16);

export const LITLEN_BITS: u32 = 11;
export const DISTANCE_BITS: u32 = 9;
const MAX_LENGTH: u32 = 15;
const MAX_SYMBOLS: usize = 288;

/** A canonical code: how many codes there are, and of each length (u16), then the symbols in the order of their codes (u16). */
const COUNTS_SIZE: usize = 32;
const CODE_SIZE: i32 = 608;
export const PRECODE: usize = memory.data(CODE_SIZE, 16);
export const LITLEN: usize = memory.data(CODE_SIZE, 16);
export const DISTANCE: usize = memory.data(CODE_SIZE, 16);
export const LITLEN_TABLE: usize = memory.data(8192, 16);
export const DISTANCE_TABLE: usize = memory.data(2048, 16);
/** Lengths of codes, a byte each: 286 and 30 at most, or 288 of the fixed code. */
export const LENGTHS: usize = memory.data(320, 16);
const NEXT: usize = memory.data(32, 16);

const LENGTH_BASE: usize = memory.data<u16>([
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
]);
const LENGTH_EXTRA: usize = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
]);
const DISTANCE_BASE: usize = memory.data<u16>([
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
  8193, 12289, 16385, 24577,
]);
const DISTANCE_EXTRA: usize = memory.data<u8>([
  0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
]);

/** The symbol's entry, its code being of `length` bits. The precode's symbols are plain numbers. */
function entryOf(code: usize, symbol: u32, length: u32): u32 {
  if (code == PRECODE) return (symbol << 16) | length;
  if (code == DISTANCE) {
    if (symbol > 29) return BAD;
    const extra = <u32>load<u8>(DISTANCE_EXTRA + symbol);
    return (<u32>load<u16>(DISTANCE_BASE + (symbol << 1)) << 16) | (length << 8) | (length + extra);
  }
  if (symbol < 256) return LITERAL | (symbol << 16) | (1 << 8) | length;
  if (symbol == 256) return END | length;
  if (symbol > 285) return BAD;
  const extra = <u32>load<u8>(LENGTH_EXTRA + symbol - 257);
  return (<u32>load<u16>(LENGTH_BASE + ((symbol - 257) << 1)) << 16) | (length << 8) | (length + extra);
}

/**
 * Makes a canonical code of the lengths of its symbols' codes; false where there can't be one. zlib's rule for
 * codes that leave bits unused: only one code of one bit, or none, and not in the precode.
 */
export function makeCode(code: usize, lengths: usize, symbols: u32): bool {
  if (<usize>symbols > MAX_SYMBOLS) return false;
  memory.fill(code, 0, COUNTS_SIZE);
  for (let symbol: u32 = 0; symbol < symbols; symbol++) {
    const count = code + (<usize>(load<u8>(lengths + symbol) & MAX_LENGTH) << 1);
    store<u16>(count, load<u16>(count) + 1);
  }
  store<u16>(code, 0);
  let free: i32 = 1;
  let start: u32 = 0;
  for (let length: u32 = 1; length <= MAX_LENGTH; length++) {
    const count = <u32>load<u16>(code + (length << 1));
    free = (free << 1) - <i32>count;
    if (free < 0) return false;
    store<u16>(NEXT + (length << 1), <u16>start);
    start += count;
  }
  if (free > 0 && (code == PRECODE || start > <u32>load<u16>(code, 2))) return false;
  for (let symbol: u32 = 0; symbol < symbols; symbol++) {
    const length = <usize>(load<u8>(lengths + symbol) & MAX_LENGTH);
    if (length == 0) continue;
    const next = NEXT + (length << 1);
    const at = load<u16>(next);
    store<u16>(code + COUNTS_SIZE + (<usize>at << 1), <u16>symbol);
    store<u16>(next, at + 1);
  }
  store<u16>(code, <u16>start);
  return true;
}

/**
 * The entry of the code that `bits` begin with, of which `known` are known.
 * Slow: for codes that are longer than the table's bits, and for the last bits of a piece.
 */
export function decode(code: usize, bits: u64, known: u32): u32 {
  const all = <u32>load<u16>(code);
  let value: u32 = 0;
  let first: u32 = 0;
  let index: u32 = 0;
  // No code is longer than 15 bits: all of them have been seen by then.
  for (let length: u32 = 1; length <= known; length++) {
    value |= <u32>bits & 1;
    bits >>= 1;
    const count = <u32>load<u16>(code + (length << 1));
    if (value < first + count) {
      const symbol = <u32>load<u16>(code + COUNTS_SIZE + (<usize>(index + value - first) << 1));
      return entryOf(code, symbol, length);
    }
    index += count;
    if (index == all) return BAD;
    first = (first + count) << 1;
    value <<= 1;
  }
  return MORE;
}

/**
 * Fills a code's table. The entries of codes up to a length are known from as many bits; for each further bit
 * they double. What is left over belongs to longer codes.
 */
export function fillTable(table: usize, code: usize, tableBits: u32): void {
  store<u32>(table, LONG);
  let size: u32 = 1;
  let symbol = code + COUNTS_SIZE;
  // Codes are read from their highest bit on: here the bits stand in that order, the first one lowest.
  let value: u32 = 0;
  for (let length: u32 = 1; length <= tableBits; length++) {
    memory.copy(table + (<usize>size << 2), table, <usize>size << 2);
    size <<= 1;
    for (let count = <u32>load<u16>(code + (length << 1)); count > 0; count--) {
      store<u32>(table + (<usize>value << 2), entryOf(code, load<u16>(symbol), length));
      symbol += 2;
      const zeros = ~value & (size - 1);
      if (zeros == 0) return doubleUp(table, size, tableBits);
      const highest: u32 = 0x80000000 >> clz(zeros);
      value = (value & (highest - 1)) | highest;
    }
  }
}

/** No code is longer: the table goes on as it is. */
function doubleUp(table: usize, size: u32, tableBits: u32): void {
  for (; size < 1 << tableBits; size <<= 1) {
    memory.copy(table + (<usize>size << 2), table, <usize>size << 2);
  }
}

/** Joins a literal with the one behind it wherever the table's bits hold both. */
export function pairLiterals(): void {
  // A shorter code stands before a longer one: from behind, the entry of the second is still a single one.
  for (let i: i32 = (1 << LITLEN_BITS) - 1; i >= 0; i--) {
    const entry = load<u32>(LITLEN_TABLE + (<usize>i << 2));
    if (!(entry & LITERAL)) continue;
    const used = entry & 0xff;
    const second = load<u32>(LITLEN_TABLE + (<usize>(<u32>i >> used) << 2));
    if (!(second & LITERAL) || used + (second & 0xff) > LITLEN_BITS) continue;
    const bytes = (entry & 0xff0000) | ((second & 0xff0000) << 8);
    store<u32>(LITLEN_TABLE + (<usize>i << 2), bytes | LITERAL | (2 << 8) | (used + (second & 0xff)));
  }
}

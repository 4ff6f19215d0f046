// Dynamic Huffman codes of a deflate block (RFC 1951), for matches whose distance is a multiple of 64.

/** After the literals and the end of a block: lengths of matches, 0 to 258. */
export const FIRST_LENGTH = 257;
export const END_OF_BLOCK = 256;
const TOKEN_SYMBOLS = FIRST_LENGTH + 259;
const MAX_ROWS: u32 = 512;

/** A bit count in the low 8 bits and the bits above: of each symbol of a token, and of each distance in rows (0: none). */
export const SYMBOLS: usize = 16_384;
export const DISTANCES: usize = SYMBOLS + 8 * TOKEN_SYMBOLS;
/** How often each of them occurs in the block. */
const SYMBOL_COUNTS: usize = DISTANCES + 8 * (<usize>MAX_ROWS + 1);
const ROWS_COUNTS: usize = SYMBOL_COUNTS + 4 * TOKEN_SYMBOLS;
/** How often each code of deflate occurs. */
const LITERAL_COUNTS: usize = ROWS_COUNTS + 4 * (<usize>MAX_ROWS + 1);
const DISTANCE_COUNTS: usize = LITERAL_COUNTS + 4 * 286;
const COUNTS_END: usize = DISTANCE_COUNTS + 4 * 30;
/** Codes of literals and lengths, and of distances. */
const LITERAL_CODES: usize = (COUNTS_END + 7) & ~7;
const DISTANCE_CODES: usize = LITERAL_CODES + 8 * 286;
/** Lengths of the codes. */
const LITERAL_BITS: usize = DISTANCE_CODES + 8 * 30;
const DISTANCE_BITS: usize = LITERAL_BITS + 286;
/** Symbols with their counts, in ascending order; then counts, parents and depths. */
const SORTED: usize = (DISTANCE_BITS + 30 + 7) & ~7;
const TREE: usize = SORTED + 4 * 286;
const BITS_COUNTS: usize = TREE + 4 * 286;

const LITERAL_SYMBOLS = 286;
const DISTANCE_SYMBOLS = 30;
const MAX_BITS = 15;

// @ts-ignore: decorator
@inline
function count(address: usize, change: i32): void {
  store<i32>(address, load<i32>(address) + change);
}

/** Computes SYMBOLS and DISTANCES for tokens: a symbol each, and the distance in rows above 16 bits. */
export function buildCodes(tokens: usize, end: usize): void {
  memory.fill(SYMBOL_COUNTS, 0, COUNTS_END - SYMBOL_COUNTS);
  for (let token = tokens; token < end; token += 4) {
    const value = load<u32>(token);
    count(SYMBOL_COUNTS + 4 * (value & 0xffff), 1);
    count(ROWS_COUNTS + 4 * (value >> 16), 1);
  }
  memory.copy(LITERAL_COUNTS, SYMBOL_COUNTS, 4 * END_OF_BLOCK);
  count(LITERAL_COUNTS + 4 * END_OF_BLOCK, 1);
  for (let length: u32 = 3; length <= 258; length++)
    count(LITERAL_COUNTS + 4 * lengthSymbol(length), load<i32>(SYMBOL_COUNTS + 4 * (FIRST_LENGTH + length)));
  for (let rows: u32 = 1; rows <= MAX_ROWS; rows++)
    count(DISTANCE_COUNTS + 4 * distanceSymbol(rows), load<i32>(ROWS_COUNTS + 4 * rows));
  // A code of two symbols is complete, even if no match uses it.
  count(DISTANCE_COUNTS, 1);
  count(DISTANCE_COUNTS + 4, 1);
  buildTree(LITERAL_COUNTS, LITERAL_SYMBOLS, LITERAL_BITS, LITERAL_CODES);
  buildTree(DISTANCE_COUNTS, DISTANCE_SYMBOLS, DISTANCE_BITS, DISTANCE_CODES);
  memory.copy(SYMBOLS, LITERAL_CODES, 8 * (END_OF_BLOCK + 1));
  for (let length: u32 = 3; length <= 258; length++) {
    const extra = lengthExtra(length);
    const value = (length - 3) & ((1 << extra) - 1);
    const code = LITERAL_CODES + 8 * lengthSymbol(length);
    store<u64>(SYMBOLS + 8 * (FIRST_LENGTH + length), withExtra(code, extra, value));
  }
  store<u64>(DISTANCES, 0);
  for (let rows: u32 = 1; rows <= MAX_ROWS; rows++) {
    const extra = distanceExtra(rows);
    const value = (64 * rows - 1) & ((1 << extra) - 1);
    store<u64>(DISTANCES + 8 * rows, withExtra(DISTANCE_CODES + 8 * distanceSymbol(rows), extra, value));
  }
}

/** Writes the header of a block that is not the last one, with the lengths of all codes in 4 bits each. @returns the number of bits. */
export function writeHeader(to: usize): usize {
  memory.fill(to, 0, 256);
  // Dynamic codes, 286 literals and lengths, 30 distances, 19 codes for their lengths.
  let at = putBits(to, 0, 4 | (29 << 3) | (29 << 8) | (15 << 13), 17);
  // The order of the code lengths' codes: 16, 17 and 18, which repeat lengths, do not occur; the others have 4 bits.
  for (let i = 0; i < 19; i++) at = putBits(to, at, i < 3 ? 0 : 4, 3);
  for (let i = 0; i < LITERAL_SYMBOLS; i++) at = putBits(to, at, reverse(load<u8>(LITERAL_BITS + i), 4), 4);
  for (let i = 0; i < DISTANCE_SYMBOLS; i++) at = putBits(to, at, reverse(load<u8>(DISTANCE_BITS + i), 4), 4);
  return at;
}

/** Sets bits behind the first `at` ones; those after them must be 0. @returns the new number of bits. */
function putBits(to: usize, at: usize, value: u32, count: usize): usize {
  const address = to + (at >> 3);
  store<u32>(address, load<u32>(address) | (value << (<u32>at & 7)));
  return at + count;
}

// @ts-ignore: decorator
@inline
function lengthExtra(length: u32): u32 {
  return length < 11 || length == 258 ? 0 : 29 - clz(length - 3);
}

// @ts-ignore: decorator
@inline
function lengthSymbol(length: u32): u32 {
  if (length == 258) return 285;
  const extra = lengthExtra(length);
  return 257 + 4 * extra + ((length - 3) >> extra);
}

// @ts-ignore: decorator
@inline
function distanceExtra(rows: u32): u32 {
  return 30 - clz(64 * rows - 1);
}

// @ts-ignore: decorator
@inline
function distanceSymbol(rows: u32): u32 {
  const extra = distanceExtra(rows);
  return 2 * extra + ((64 * rows - 1) >> extra);
}

function withExtra(code: usize, extra: u32, value: u32): u64 {
  const bits = load<u64>(code) & 0xff;
  return ((((load<u64>(code) >> 8) | (<u64>value << bits)) << 8) | bits) + extra;
}

/** Computes the lengths of the symbols' codes, at most 15 bits, and the codes. */
function buildTree(counts: usize, symbols: i32, bits: usize, codes: usize): void {
  memory.fill(bits, 0, symbols);
  const used = sortSymbols(counts, symbols);
  computeDepths(used);
  limitDepths(used);
  // The most frequent symbols, which are the last ones, get the shortest codes.
  let at = used - 1;
  for (let depth = 1; depth <= MAX_BITS; depth++)
    for (let left = load<u32>(BITS_COUNTS + 4 * depth); left > 0; left--, at--)
      store<u8>(bits + (load<u32>(SORTED + 4 * at) & 0x1ff), <u8>depth);
  let code: u32 = 0;
  for (let depth = 1; depth <= MAX_BITS; depth++, code <<= 1)
    for (let symbol = 0; symbol < symbols; symbol++)
      if (load<u8>(bits + symbol) == depth)
        store<u64>(codes + 8 * symbol, (<u64>reverse(code++, depth) << 8) | depth);
}

/** Writes the symbols that occur to SORTED and TREE, the rarest first. @returns their number. */
function sortSymbols(counts: usize, symbols: i32): i32 {
  let used = 0;
  for (let symbol = 0; symbol < symbols; symbol++) {
    const symbolCount = load<u32>(counts + 4 * symbol);
    if (symbolCount == 0) continue;
    const entry = (symbolCount << 9) | symbol;
    let at = used++;
    for (; at > 0 && load<u32>(SORTED + 4 * (at - 1)) > entry; at--)
      store<u32>(SORTED + 4 * at, load<u32>(SORTED + 4 * (at - 1)));
    store<u32>(SORTED + 4 * at, entry);
  }
  for (let at = 0; at < used; at++) store<u32>(TREE + 4 * at, load<u32>(SORTED + 4 * at) >> 9);
  return used;
}

/**
 * Replaces at least two ascending counts in TREE by the depths of their leaves, in place, as in Moffat and Katajainen,
 * "In-Place Calculation of Minimum-Redundancy Codes" (1995).
 */
function computeDepths(used: i32): void {
  let leaf = 0;
  let root = 0;
  for (let next = 0; next < used - 1; next++) {
    let sum: u32 = 0;
    for (let child = 0; child < 2; child++) {
      if (leaf >= used || (root < next && get(root) < get(leaf))) {
        sum += get(root);
        set(root++, next);
      } else sum += get(leaf++);
    }
    set(next, sum);
  }
  set(used - 2, 0);
  for (let next = used - 3; next >= 0; next--) set(next, get(get(next)) + 1);
  let available = 1;
  let depth = 0;
  let next = used - 1;
  root = used - 2;
  while (available > 0) {
    let inner = 0;
    for (; root >= 0 && get(root) == depth; root--) inner++;
    for (; available > inner; available--) set(next--, depth);
    available = 2 * inner;
    depth++;
  }
}

/** Counts the codes of each length in BITS_COUNTS, and lengthens short ones until none is longer than 15 bits. */
function limitDepths(used: i32): void {
  memory.fill(BITS_COUNTS, 0, 4 * (MAX_BITS + 1));
  for (let at = 0; at < used; at++) count(BITS_COUNTS + 4 * min(get(at), MAX_BITS), 1);
  let total: u32 = 0;
  for (let depth = 1; depth <= MAX_BITS; depth++)
    total += load<u32>(BITS_COUNTS + 4 * depth) << (MAX_BITS - depth);
  for (; total > 1 << MAX_BITS; total--) {
    count(BITS_COUNTS + 4 * MAX_BITS, -1);
    let depth = MAX_BITS - 1;
    while (load<u32>(BITS_COUNTS + 4 * depth) == 0) depth--;
    count(BITS_COUNTS + 4 * depth, -1);
    count(BITS_COUNTS + 4 * (depth + 1), 2);
  }
}

// @ts-ignore: decorator
@inline
function get(at: i32): i32 {
  return load<i32>(TREE + 4 * at);
}

// @ts-ignore: decorator
@inline
function set(at: i32, value: i32): void {
  store<i32>(TREE + 4 * at, value);
}

/** Reverses the lowest bits: deflate writes codes from their highest bit on. */
function reverse(value: u32, bits: u32): u32 {
  let reversed: u32 = 0;
  for (let bit: u32 = 0; bit < bits; bit++) reversed |= ((value >> bit) & 1) << (bits - 1 - bit);
  return reversed;
}

// Turns columns of events into rows of 64 bytes, and those into one deflate block. Equal cells of two rows have a
// multiple of 64 bytes between them, so only such distances are searched: that takes a fraction of zlib's time.
import { setUpFold } from '../../../gzip/assembly/crc-fold';
import { buildCodes, DISTANCES, END_OF_BLOCK, FIRST_LENGTH, SYMBOLS, writeHeader } from './huffman';
export { shortenBytes, shortenedBytes } from '../../../gzip/assembly/crc-fold';

/** Rows in a block, at most. */
const MAX_ROWS: i32 = 16_384;
const ROW_BYTES: usize = 64;

/** Addresses; event-rows.ts has the same. */
const EXCH: usize = 65_536;
const LOCAL: usize = EXCH + 8 * MAX_ROWS;
const PX: usize = LOCAL + 8 * MAX_ROWS;
const QTY: usize = PX + 8 * MAX_ROWS;
const EV: usize = QTY + 8 * MAX_ROWS;
const ROWS: usize = EV + MAX_ROWS;
const TOKENS: usize = ROWS + ROW_BYTES * MAX_ROWS;
const OUT: usize = TOKENS + 4 * ROW_BYTES * MAX_ROWS + 64;
/** What is searched in earlier rows: equal times and price, price, amount, the first 4 bytes of price or amount. */
const TIMES_AND_PX = 0;
const WHOLE_PX = 1;
const WHOLE_QTY = 2;
const LOW_PX = 3;
const LOW_QTY = 4;
/** For each of them, the last row of each hash, counted from 1. */
const LAST_ROWS: usize = OUT + 2 * ROW_BYTES * MAX_ROWS;
const HASH_BITS = 13;
const LAST_ROWS_BYTES: usize = 4 << HASH_BITS;
const CHECKSUM: usize = LAST_ROWS + 5 * LAST_ROWS_BYTES;

/** The farthest row that a match may refer to: 32 KiB. */
const MAX_ROW_DISTANCE: i32 = 512;
const MIN_MATCH: i32 = 3;
const MAX_MATCH: i32 = 258;
const HASH_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/**
 * Where the next token is written: a literal, or FIRST_LENGTH and a length; above 16 bits the distance in rows, 0 for
 * literals.
 */
let nextToken: usize = TOKENS;
/** Literals since the last match. */
let literals: i32 = 0;
/** The match that may still grow; no match if the length is 0. */
let length: i32 = 0;
/** Its distance in bytes. */
let distance: usize = 0;

/** Call it once, first. @returns the address after all memory that is used. */
export function initialize(): usize {
  return setUpFold(CHECKSUM);
}

/**
 * Writes the columns' first rows as rows of hftbacktest to ROWS.
 * @param shift nanoseconds that are added to local times.
 */
export function writeRows(rows: i32, shift: i64): void {
  for (let row: usize = 0; row < <usize>rows; row++) {
    const to = ROWS + ROW_BYTES * row;
    const ev = load<u8>(EV + row);
    store<u64>(to, <u64>(ev & 0x0f) | (<u64>(ev >> 4) << 28));
    store<i64>(to + 8, <i64>load<f64>(EXCH + 8 * row) * 1000);
    store<i64>(to + 16, <i64>load<f64>(LOCAL + 8 * row) * 1000 + shift);
    store<f64>(to + 24, load<f64>(PX + 8 * row));
    store<f64>(to + 32, load<f64>(QTY + 8 * row));
    store<u64>(to + 40, 0);
    v128.store(to + 48, i64x2.splat(0));
  }
}

/**
 * Deflates the rows at ROWS, at least one, to OUT. The result ends at a byte, and refers to nothing before.
 * @returns the number of bytes.
 */
export function deflateRows(rows: i32): i32 {
  nextToken = TOKENS;
  length = 0;
  literals = 0;
  memory.fill(LAST_ROWS, 0, 5 * LAST_ROWS_BYTES);
  for (let row = 0; row < rows; row++) {
    const at = ROWS + ROW_BYTES * <usize>row;
    const px = load<u64>(at + 24);
    const qty = load<u64>(at + 32);
    const times = rotl<u64>(load<u64>(at + 8), 17) ^ rotl<u64>(load<u64>(at + 16), 39);
    const twin = findRow(row, px ^ times, TIMES_AND_PX);
    const samePx = findRow(row, px, WHOLE_PX);
    const similarPx = findRow(row, px & 0xffff_ffff, LOW_PX);
    const sameQty = findRow(row, qty, WHOLE_QTY);
    const similarQty = findRow(row, qty & 0xffff_ffff, LOW_QTY);
    if (row == 0) {
      for (let byte: usize = 0; byte < ROW_BYTES; byte += 8) addLiterals(load<u64>(at + byte), 8);
      continue;
    }
    addWord(at, 0, 0, false);
    addWord(at + 8, twin, 0, false);
    addWord(at + 16, twin, 0, false);
    addWord(at + 24, samePx, similarPx, false);
    addWord(at + 32, sameQty, similarQty, true);
    // The other three columns are 0 everywhere.
    if (length == 0) distance = ROW_BYTES;
    length += 24;
  }
  endMatch();
  return <i32>(writeTokens() - OUT);
}

/** The distance in bytes to the last row with the same hash, which this row replaces; 0 if there is none near enough. */
// @ts-ignore: decorator
@inline
function findRow(row: i32, value: u64, what: i32): usize {
  const hash = (value * HASH_FACTOR) >> (64 - HASH_BITS);
  const address = LAST_ROWS + LAST_ROWS_BYTES * what + 4 * <usize>hash;
  const distance = row + 1 - load<i32>(address);
  store<i32>(address, row + 1);
  return distance <= min(row, MAX_ROW_DISTANCE) ? ROW_BYTES * distance : 0;
}

/**
 * Adds 8 bytes.
 * @param whole distance in bytes of a row that may have the same; 0 if there is none.
 * @param low the same for the first 4 bytes: prices with the same decimals often have these.
 */
// @ts-ignore: decorator
@inline
function addWord(at: usize, whole: usize, low: usize, isLast: bool): void {
  const value = load<u64>(at);
  if (length > 0 && load<u64>(at - distance) == value) {
    length += 8;
    return;
  }
  const difference = value ^ load<u64>(at - ROW_BYTES);
  if (difference == 0) return startMatch(ROW_BYTES, 8);
  if (whole != 0 && load<u64>(at - whole) == value) return extendBack(at, whole, 8);
  let equal = length > 0 ? countLow(value, at - distance) : 0;
  const lowEqual = low == 0 ? 0 : countLow(value, at - low);
  if (lowEqual > max(equal, 3)) {
    equal = lowEqual;
    extendBack(at, low, equal);
  } else if (equal > 0) length += equal;
  let top = min(<i32>clz(difference) >> 3, 8 - equal);
  // The columns after the last one are 0, so that its match is long enough in any case.
  if (top < MIN_MATCH && !isLast) top = 0;
  endMatch();
  addLiterals(value >> (8 * equal), 8 - top - equal);
  distance = ROW_BYTES;
  length = top;
}

// @ts-ignore: decorator
@inline
function countLow(value: u64, at: usize): i32 {
  return min(<i32>ctz(value ^ load<u64>(at)) >> 3, 8);
}

function startMatch(newDistance: usize, newLength: i32): void {
  endMatch();
  distance = newDistance;
  length = newLength;
}

/** Starts a match, and lets it replace the last tokens if their bytes are equal too. */
// @ts-ignore: decorator
@inline
function extendBack(at: usize, candidate: usize, newLength: i32): void {
  const equal = <i32>clz(load<u64>(at - 8) ^ load<u64>(at - 8 - candidate)) >> 3;
  if (length > equal) return startMatch(candidate, newLength);
  // The match of the last bytes is not a token yet.
  const removed = min(equal - length, literals);
  nextToken -= 4 * removed;
  literals -= removed;
  distance = candidate;
  length += newLength + removed;
}

/** Adds the first bytes of a value. */
// @ts-ignore: decorator
@inline
function addLiterals(value: u64, count: i32): void {
  const words = i16x8.extend_low_i8x16_u(i64x2.splat(value));
  v128.store(nextToken, i32x4.extend_low_i16x8_u(words));
  v128.store(nextToken + 16, i32x4.extend_high_i16x8_u(words));
  nextToken += 4 * count;
  literals += count;
}

function endMatch(): void {
  if (length > 0) literals = 0;
  const rowDistance = <u32>(distance / ROW_BYTES) << 16;
  while (length > 0) {
    let part = min(length, MAX_MATCH);
    if (length > part && length - part < MIN_MATCH) part -= MIN_MATCH;
    store<u32>(nextToken, rowDistance | (FIRST_LENGTH + part));
    nextToken += 4;
    length -= part;
  }
}

/** Writes the block. @returns the address after it. */
function writeTokens(): usize {
  buildCodes(TOKENS, nextToken);
  const headerBits = writeHeader(OUT);
  let to = OUT + (headerBits >> 3);
  let count = <u64>headerBits & 7;
  let bits = <u64>load<u8>(to);
  for (let token = TOKENS; token < nextToken; token += 4) {
    const value = load<u32>(token);
    const symbol = load<u64>(SYMBOLS + 8 * (value & 0xffff));
    bits |= (symbol >> 8) << count;
    count += symbol & 0xff;
    // No bits for a literal.
    const distance = load<u64>(DISTANCES + 8 * (value >> 16));
    bits |= (distance >> 8) << count;
    count += distance & 0xff;
    store<u64>(to, bits);
    to += <usize>(count >> 3);
    bits >>= count & 0x38;
    count &= 7;
  }
  // The end of the block, then an empty stored block, which ends at a byte.
  const end = load<u64>(SYMBOLS + 8 * END_OF_BLOCK);
  bits |= (end >> 8) << count;
  count += (end & 0xff) + 3;
  store<u64>(to, bits);
  to += <usize>((count + 7) >> 3);
  store<u32>(to, 0xffff_0000);
  return to + 4;
}

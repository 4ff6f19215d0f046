// Reads lists of levels, such as [["61234.50","1.250"],…], and writes them as JSON and as doubles. It stops
// at any other form. The caller ensures that the two keys are at PRICE and AMOUNT, that a byte 0 and 16 more
// bytes follow the text, and that the outputs have room.
import { COMMA, POINT, QUOTE, ZERO } from '../../../format/assembly/bytes';

/** Writes the number at an address as JSON to another, and its value to VALUE; returns the JSON's length. */
// @ts-ignore: decorator
@external("env", "writeNumber")
declare function writeNumber(p: usize, length: i32, to: usize): i32;

/** Addresses and lengths of `{"price":` and `,"amount":`, and the address of a value. */
const PRICE: usize = 0;
const PRICE_BYTES: usize = 9;
const AMOUNT: usize = 16;
const AMOUNT_BYTES: usize = 10;
const VALUE: usize = 32;

const OPEN: i32 = 91;
const CLOSE: i32 = 93;
const LETTER_A: i32 = 97;
const LETTER_D: i32 = 100;
const LETTER_Z: i32 = 122;
/** A closing brace and a comma. */
const LEVEL_END: u16 = 0x2c7d;

/** A double holds each integer of so few digits, and each of these powers, so their quotient is exact. */
const MAX_DIGITS: i32 = 15;
const POWERS = memory.data<f64>([
  1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
]);
/** Below this, JSON has an exponent. */
const MIN_PLAIN: f64 = 1e-6;

/** Number of levels of the last list, and the end of their JSON. */
export let levels: i32 = 0;
export let written: usize = 0;

/** The value of the last number, and the end of its JSON. */
let value: f64 = 0;
let jsonEnd: usize = 0;

// @ts-ignore: decorator
@inline
function byteAt(p: usize): i32 {
  return <i32>load<u8>(p);
}

// @ts-ignore: decorator
@inline
function isDigit(byte: i32): bool {
  return <u32>(byte - ZERO) <= 9;
}

/** Reads a decimal without sign or exponent, and writes it to `to`. Returns the address after it, or 0. */
// @ts-ignore: decorator
@inline
function readNumber(p: usize, to: usize): usize {
  let digits: i64 = 0;
  let q = p;
  for (; isDigit(byteAt(q)); q++) digits = digits * 10 + (byteAt(q) - ZERO);
  if (q == p || (q > p + 1 && byteAt(p) == ZERO)) return 0;
  let length = <i32>(q - p);
  let end = q;
  let decimals: usize = 0;
  if (byteAt(q) == POINT) {
    const first = ++q;
    for (; isDigit(byteAt(q)); q++) digits = digits * 10 + (byteAt(q) - ZERO);
    if (q == first) return 0;
    decimals = q - first;
    length += <i32>decimals;
    end = q;
    while (byteAt(end - 1) == ZERO) end--;
    if (end == first) end--;
  }
  if (length <= MAX_DIGITS) {
    value = <f64>digits / load<f64>(POWERS + (decimals << 3));
    if (value >= MIN_PLAIN || digits == 0) {
      v128.store(to, v128.load(p));
      jsonEnd = to + (end - p);
      return q;
    }
  }
  jsonEnd = to + writeNumber(p, <i32>(q - p), to);
  value = load<f64>(VALUE);
  return q;
}

/** The address after a string of small letters and a comma; 0 for anything else. */
function skipAction(p: usize): usize {
  if (byteAt(p++) != QUOTE) return 0;
  while (byteAt(p) >= LETTER_A && byteAt(p) <= LETTER_Z) p++;
  return byteAt(p) == QUOTE && byteAt(p + 1) == COMMA ? p + 2 : 0;
}

/** The address after a string of digits; 0 for anything else. */
function skipDigits(p: usize): usize {
  if (byteAt(p++) != QUOTE) return 0;
  while (isDigit(byteAt(p))) p++;
  return byteAt(p) == QUOTE ? p + 1 : 0;
}

/**
 * Reads the list at `from`. Further cells of a level must be strings of digits, and are skipped.
 * @param out receives the content of a JSON array.
 * @param isQuoted whether prices and amounts are strings.
 * @param hasAction whether a level begins with an action, such as "new".
 * @returns the address after the list; 0 for any other form.
 */
export function readLevels(
  from: usize,
  out: usize,
  prices: usize,
  amounts: usize,
  isQuoted: bool,
  hasAction: bool,
): usize {
  levels = 0;
  written = out;
  let p = from;
  if (byteAt(p++) != OPEN) return 0;
  if (byteAt(p) == CLOSE) return p + 1;
  let o = out;
  let next: i32;
  do {
    if (byteAt(p++) != OPEN) return 0;
    // A deletion counts as an amount of 0, and nearly always has it.
    const isDeletion = hasAction && byteAt(p + 1) == LETTER_D;
    if (hasAction) p = skipAction(p);
    if (p == 0 || (isQuoted && byteAt(p++) != QUOTE)) return 0;
    v128.store(o, v128.load(PRICE));
    p = readNumber(p, o + PRICE_BYTES);
    if (p == 0 || (isQuoted && byteAt(p++) != QUOTE)) return 0;
    store<f64>(prices + (<usize>levels << 3), value);
    if (byteAt(p++) != COMMA || (isQuoted && byteAt(p++) != QUOTE)) return 0;
    v128.store(jsonEnd, v128.load(AMOUNT));
    p = readNumber(p, jsonEnd + AMOUNT_BYTES);
    if (p == 0 || (isQuoted && byteAt(p++) != QUOTE)) return 0;
    store<f64>(amounts + (<usize>levels << 3), value);
    while (byteAt(p) == COMMA) {
      p = skipDigits(p + 1);
      if (p == 0) return 0;
    }
    if (byteAt(p++) != CLOSE || (isDeletion && value != 0)) return 0;
    store<u16>(jsonEnd, LEVEL_END);
    o = jsonEnd + 2;
    levels++;
    next = byteAt(p++);
  } while (next == COMMA);
  // Without the comma after the last level.
  written = o - 1;
  return next == CLOSE ? p : 0;
}

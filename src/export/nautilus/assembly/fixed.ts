// Converts numbers to fixed-point integers of 64 or 128 bits.
import { MINUS, POINT, ZERO } from '../../../format/assembly/bytes';

/** Why `convertToFixed` stopped: all numbers are converted; */
const DONE: i32 = 0;
/** a text is not in the usual form, and must be parsed outside; */
const UNUSUAL: i32 = 1;
/** a value is out of range. */
const OUT_OF_RANGE: i32 = 2;

/** The number at which `convertToFixed` stopped, and the number of values that lost decimals in the last call. */
export let stoppedAt: i32 = 0;
export let roundedCount: i32 = 0;

/** 10^0 to 10^19, which fit into 64 bits, and 10^0 to 10^22, which a double holds exactly. */
const tens: usize = memory.data(20 * 8, 16);
const exactTens: usize = memory.data(23 * 8, 16);
const MAX_TENS: i32 = 19;
const MAX_EXACT_TENS: i32 = 22;
/** With at most this, ten times a number plus a digit fits into 64 bits. */
const MAX_TENTH: u64 = 1844674407370955160;
/** Different decimals of up to 15 digits are different doubles. */
const MAX_FIFTEEN_DIGITS: f64 = 999999999999999;

/** 2^52 + 2^51: the low bits of the sum of this and an integer below 2^51 are that integer. */
const MAGIC: f64 = 6755399441055744;

export function createTens(): void {
  for (let i = 0, ten: u64 = 1; i <= MAX_TENS; i++, ten *= 10) store<u64>(tens + (i << 3), ten);
  for (let i = 0, ten: f64 = 1; i <= MAX_EXACT_TENS; i++, ten *= 10) store<f64>(exactTens + (i << 3), ten);
}

// @ts-ignore: decorator
@inline
function ten(exponent: i32): u64 {
  return load<u64>(tens + (<usize>exponent << 3));
}

// @ts-ignore: decorator
@inline
function exactTen(exponent: i32): f64 {
  return load<f64>(exactTens + (<usize>exponent << 3));
}

/** A decimal without its sign: `mantissa` / 10^`fraction`. */
let mantissa: u64 = 0;
let fraction: i32 = 0;

/** Parses digits with an optional point; false for any other text. */
function parseDecimal(p: usize, length: i32): bool {
  let value: u64 = 0;
  let point = -1;
  for (let i = 0; i < length; i++) {
    const byte = <i32>load<u8>(p + i);
    const digit = byte - ZERO;
    if (<u32>digit > 9) {
      if (byte != POINT || point >= 0 || i == 0 || i + 1 == length) return false;
      point = i;
    } else {
      if (value >= MAX_TENTH) return false;
      value = value * 10 + digit;
    }
  }
  mantissa = value;
  fraction = point < 0 ? 0 : length - point - 1;
  return length > 0;
}

/** Finds the decimal of up to 15 digits, of which at most 22 are decimals, that a double stands for. */
function findDecimal(magnitude: f64): void {
  for (fraction = 0; fraction <= MAX_EXACT_TENS; fraction++) {
    const digits = nearest(magnitude * exactTen(fraction));
    if (digits / exactTen(fraction) != magnitude) continue;
    mantissa = <u64>digits;
    return;
  }
}

/** Reduces the decimal to `places` decimals, rounded half away from zero. */
function reduceTo(places: i32): void {
  while (fraction > places && mantissa % 10 == 0) {
    mantissa /= 10;
    fraction--;
    if (mantissa == 0) fraction = 0;
  }
  if (fraction <= places) return;
  roundedCount++;
  const dropped = fraction - places;
  fraction = places;
  if (dropped > MAX_TENS) {
    mantissa = 0;
    return;
  }
  const divisor = ten(dropped);
  const rest = mantissa % divisor;
  mantissa = mantissa / divisor + <u64>(rest >= divisor - rest);
}

/** High and low half of the last product. */
let high: u64 = 0;
let low: u64 = 0;

function multiply(a: u64, b: u64): void {
  const aLow = a & 0xffffffff;
  const aHigh = a >> 32;
  const bLow = b & 0xffffffff;
  const bHigh = b >> 32;
  const lows = aLow * bLow;
  const cross = aHigh * bLow + (lows >> 32);
  const middle = aLow * bHigh + (cross & 0xffffffff);
  low = (middle << 32) | (lows & 0xffffffff);
  high = aHigh * bHigh + (cross >> 32) + (middle >> 32);
}

/**
 * Converts `count` numbers from `first` on to little-endian integers of `width` bytes at `out`: the value, rounded half
 * away from zero to its number of decimals, times 10^`scale`. Returns the reason why it stopped.
 * @param values doubles, which determine the numbers without text.
 * @param offsets of the texts at `bytes`; 0 if no number has text.
 * @param places a byte for each number: its number of decimals, at most `scale`.
 * @param maxUnits the greatest value.
 */
export function convertToFixed(
  values: usize,
  bytes: usize,
  offsets: usize,
  first: i32,
  count: i32,
  places: usize,
  width: i32,
  scale: i32,
  maxUnits: f64,
  isSigned: bool,
  out: usize,
): i32 {
  roundedCount = 0;
  const minUnits: f64 = isSigned ? -maxUnits : 0;
  for (let i = first; i < count; i++) {
    const value = load<f64>(values + (<usize>i << 3));
    const most = <i32>load<u8>(places + i);
    const to = width == 16 ? out + (<usize>i << 4) : out + (<usize>i << 3);
    const shifted = value * exactTen(most) + MAGIC;
    const digits = shifted - MAGIC;
    const hasText = offsets != 0 && textLength(offsets, i) > 0;
    // The usual case. Both divisions round once, so equal results are the same decimal.
    const isExact = digits / exactTen(most) == value && abs(digits) <= MAX_FIFTEEN_DIGITS;
    if (isExact && !hasText && value >= minUnits && value <= maxUnits) {
      storeProduct(to, reinterpret<i64>(shifted) - reinterpret<i64>(MAGIC), <i64>ten(scale - most), width);
      continue;
    }
    let isNegative = value < 0;
    if (hasText) {
      const p = bytes + load<i32>(offsets + (<usize>i << 2));
      isNegative = load<u8>(p) == MINUS;
      const sign = <i32>isNegative;
      if (!parseDecimal(p + sign, textLength(offsets, i) - sign)) return stopAt(i, UNUSUAL);
    } else findDecimal(abs(value));
    if (!multiplyDecimal(most, scale, <u64>maxUnits)) return stopAt(i, OUT_OF_RANGE);
    if (isNegative && !isSigned && (high | low) != 0) return stopAt(i, OUT_OF_RANGE);
    if (isNegative) {
      low = ~low + 1;
      high = ~high + <u64>(low == 0);
    }
    store<u64>(to, low);
    if (width == 16) store<u64>(to, high, 8);
  }
  return DONE;
}

/** Stores the product of an integer of up to 50 bits with a sign, and a positive one of up to 54 bits. */
// @ts-ignore: decorator
@inline
function storeProduct(to: usize, a: i64, b: i64, width: i32): void {
  const aLow = a & 0xffffffff;
  const aHigh = a >> 32;
  const bLow = b & 0xffffffff;
  const bHigh = b >> 32;
  const lows = aLow * bLow;
  const middle = aHigh * bLow + aLow * bHigh + <i64>(<u64>lows >> 32);
  store<i64>(to, (middle << 32) | (lows & 0xffffffff));
  if (width == 16) store<i64>(to, aHigh * bHigh + (middle >> 32), 8);
}

// @ts-ignore: decorator
@inline
function textLength(offsets: usize, index: i32): i32 {
  const at = offsets + (<usize>index << 2);
  return load<i32>(at, 4) - load<i32>(at);
}

/** Multiplies the decimal, rounded to `most` decimals, by 10^`scale`; false if it exceeds the maximum. */
function multiplyDecimal(most: i32, scale: i32, maxUnits: u64): bool {
  if (fraction > most) reduceTo(most);
  multiply(maxUnits, ten(scale));
  const maxHigh = high;
  const maxLow = low;
  multiply(mantissa, ten(scale - fraction));
  return high < maxHigh || (high == maxHigh && low <= maxLow);
}

function stopAt(number: i32, reason: i32): i32 {
  stoppedAt = number;
  return reason;
}

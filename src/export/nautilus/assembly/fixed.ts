// Parses decimals into fixed-point integers of 64 or 128 bits.
import { findNonDigits, loadDigits } from '../../../format/kernel/assembly/digits';
import { shortDecimal } from '../../../format/kernel/assembly/parquet/decimal';
import { MINUS, POINT, ZERO } from '../../../format/kernel/assembly/bytes';

/** Why `parseFixed` stopped: all texts are parsed; */
const DONE: i32 = 0;
/** a text is not in the usual form, and must be parsed outside; */
const UNUSUAL: i32 = 1;
/** a value is out of range. */
const OUT_OF_RANGE: i32 = 2;

/** The text at which `parseFixed` stopped, and the number of values that lost decimals in the last call. */
export let stoppedAt: i32 = 0;
export let roundedCount: i32 = 0;

/** 10^0 to 10^19, which fit into 64 bits. */
const tens: usize = memory.data(20 * 8, 16);
const MAX_TENS: i32 = 19;
/** With at most this, ten times a number plus a digit fits into 64 bits. */
const MAX_TENTH: u64 = 1844674407370955160;

export function createTens(): void {
  for (let i = 0, ten: u64 = 1; i <= MAX_TENS; i++, ten *= 10) store<u64>(tens + (i << 3), ten);
}

// @ts-ignore: decorator
@inline
function ten(exponent: i32): u64 {
  return load<u64>(tens + (<usize>exponent << 3));
}

let mantissa: u64 = 0;
let fraction: i32 = 0;

/** Parses digits with an optional point into `mantissa` and `fraction`; false for any other text. */
// @ts-ignore: decorator
@inline
function parseMantissa(p: usize, length: i32): bool {
  if (length > 15) return parseLongMantissa(p, length);
  const digits = loadDigits(p);
  const stops = findNonDigits(digits) & ((1 << length) - 1);
  if (stops == 0) {
    fraction = 0;
    mantissa = <u64>shortDecimal(digits, length, length);
    return length > 0;
  }
  const point = <i32>ctz(stops);
  fraction = length - point - 1;
  if ((stops & (stops - 1)) != 0 || load<u8>(p + point) != POINT || point == 0 || fraction == 0) return false;
  mantissa = <u64>shortDecimal(digits, point, length);
  return true;
}

function parseLongMantissa(p: usize, length: i32): bool {
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
  return true;
}

/** Reduces the mantissa to `places` decimals, rounded half away from zero. */
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
 * Parses `count` texts from `first` on into little-endian integers of `width` bytes at `out`: the value, rounded half
 * away from zero to its number of decimals, times 10^`scale`. An empty text is 0. Returns the reason why it stopped.
 * @param places a byte for each text: its number of decimals, at most `scale`.
 * @param maxUnits the greatest value.
 */
export function parseFixed(
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
  multiply(<u64>maxUnits, ten(scale));
  const maxHigh = high;
  const maxLow = low;
  roundedCount = 0;
  let start = load<i32>(offsets + (<usize>first << 2));
  for (let i = first; i < count; i++) {
    const end = load<i32>(offsets + (<usize>(i + 1) << 2));
    const p = bytes + start;
    const length = end - start;
    start = end;
    const to = width == 16 ? out + (<usize>i << 4) : out + (<usize>i << 3);
    if (length == 0) {
      store<u64>(to, 0);
      if (width == 16) store<u64>(to, 0, 8);
      continue;
    }
    const most = <i32>load<u8>(places + i);
    if (length < 16 && storeShort(p, length, most, width, scale, to)) continue;
    const isNegative = load<u8>(p) == MINUS;
    if (!parseMantissa(p + <usize>isNegative, length - <i32>isNegative)) return stopAt(i, UNUSUAL);
    if (fraction > most) reduceTo(most);
    multiply(mantissa, ten(scale - fraction));
    if (high > maxHigh || (high == maxHigh && low > maxLow)) return stopAt(i, OUT_OF_RANGE);
    if (isNegative && (high | low) != 0) {
      if (!isSigned) return stopAt(i, OUT_OF_RANGE);
      low = ~low + 1;
      high = ~high + <u64>(low == 0);
    }
    store<u64>(to, low);
    if (width == 16) store<u64>(to, high, 8);
  }
  return DONE;
}

/**
 * Parses and stores a usual text: up to 15 bytes, of which the digits are less than 2^32, which is always in range. False
 * for any other text, or if it has more decimals than `most`.
 */
// @ts-ignore: decorator
@inline
function storeShort(p: usize, length: i32, most: i32, width: i32, scale: i32, to: usize): bool {
  const digits = loadDigits(p);
  const stops = findNonDigits(digits) & ((1 << length) - 1);
  const point = stops == 0 ? length : <i32>ctz(stops);
  const decimals = stops == 0 ? 0 : length - point - 1;
  if (stops != 0 && ((stops & (stops - 1)) != 0 || load<u8>(p + point) != POINT || decimals == 0)) return false;
  const value = <u64>shortDecimal(digits, point, length);
  if (point == 0 || decimals > most || value >> 32 != 0) return false;
  const factor = ten(scale - decimals);
  const lows = value * (factor & 0xffffffff);
  const highs = value * (factor >> 32) + (lows >> 32);
  store<u64>(to, (highs << 32) | (lows & 0xffffffff));
  if (width == 16) store<u64>(to, highs >> 32, 8);
  return true;
}

function stopAt(text: i32, reason: i32): i32 {
  stoppedAt = text;
  return reason;
}

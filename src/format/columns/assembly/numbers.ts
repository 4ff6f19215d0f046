// Parses decimals.
import { POINT, findNonDigits, loadDigits, sixteenDigits } from '../../assembly/bytes';

/** 10^0 to 10^22, the powers of ten that a double holds exactly. */
const powers: usize = memory.data(23 * 8, 16);

/**
 * For a decimal of up to 16 bytes, by the positions of its point and its end: the shuffle that moves its
 * digits to the right and drops the point. Equal positions mean a number without a point.
 */
const shuffles: usize = memory.data(16 * 16 * 16, 16);

const DROPPED: u8 = 0x80;

/** 5^0 to 5^27, which fit into 64 bits. */
const fives: usize = memory.data(28 * 8, 16);

/** Buffer for the digits of a long number, after the maximum number of leading zeros. */
const zeros: usize = memory.data(112, 16);
const row: usize = zeros + 32;

const MAX_EXACT: u64 = 9007199254740991;
/** Different decimals of up to 15 digits are different doubles. */
const MAX_FIFTEEN_DIGITS: u64 = 999999999999999;
const TEN_TO_SIXTEEN: u64 = 10000000000000000;
/** With at most this multiple of 10^16 plus any 16 digits, a number fits into 64 bits. */
const MAX_HIGH: u64 = 1843;

export function createTables(): void {
  for (let i = 0, power: f64 = 1; i < 23; i++, power *= 10) store<f64>(powers + (i << 3), power);
  for (let i = 0, power: u64 = 1; i < 28; i++, power *= 5) store<u64>(fives + (i << 3), power);
  memory.fill(zeros, 48, 32);
  for (let point = 0; point < 16; point++) {
    for (let end = 0; end < 16; end++) {
      const shuffle = shuffles + (((point << 4) + end) << 4);
      let to = 15;
      for (let from = end - 1; from >= 0 && to >= 0; from--) {
        if (from != point) store<u8>(shuffle + to--, <u8>from);
      }
      for (; to >= 0; to--) store<u8>(shuffle + to, DROPPED);
    }
  }
}

/** The number with the first `end` bytes as digits, without the one at `point`; up to 15 bytes. */
// @ts-ignore: decorator
@inline
export function shortDecimal(digits: v128, point: i32, end: i32): i64 {
  const shuffle = v128.load(shuffles + (((point << 4) + end) << 4));
  return sixteenDigits(i8x16.swizzle(digits, shuffle));
}

/**
 * A mantissa up to 2^53 is exact, and so is the power. So the division rounds once, as IEEE 754 requires, and
 * the result is the double nearest to the decimal (W. D. Clinger, "How to read floating point numbers
 * accurately", 1990).
 */
// @ts-ignore: decorator
@inline
export function scaled(mantissa: u64, fraction: i32): f64 {
  return <f64><i64>mantissa / load<f64>(powers + (<usize>fraction << 3));
}

/** Result of the last call of `longDecimal`, and whether it has up to 15 digits, so that the double determines it. */
export let decimal: f64 = 0;
export let isExact: bool = false;

/**
 * Parses a decimal of up to 31 bytes; returns its end. 0 if it is not a decimal, has more than 64 bits of
 * digits, or more than 27 digits after the point.
 */
export function longDecimal(start: usize): usize {
  const stops = <u32>findNonDigits(loadDigits(start)) | (<u32>findNonDigits(loadDigits(start + 16)) << 16);
  const point = <i32>ctz(stops);
  if (point == 0 || point == 32) return 0;
  const hasPoint = <i32>load<u8>(start + point) == POINT;
  const length = hasPoint ? <i32>ctz(stops & (stops - 1)) : point;
  if (length == 32 || length == point + 1) return 0;
  v128.store(row, v128.load(start));
  v128.store(row + 16, v128.load(start + 16));
  const count = hasPoint ? length - 1 : length;
  if (hasPoint) {
    const rest = v128.load(start + point + 17);
    v128.store(row + point, v128.load(start + point + 1));
    v128.store(row + point + 16, rest);
  }
  const high = <u64>sixteenDigits(loadDigits(row + count - 32));
  if (high > MAX_HIGH) return 0;
  const mantissa = high * TEN_TO_SIXTEEN + <u64>sixteenDigits(loadDigits(row + count - 16));
  const fraction = count - point;
  isExact = mantissa <= MAX_FIFTEEN_DIGITS && fraction <= 22;
  if (mantissa == 0) decimal = 0;
  else if (mantissa <= MAX_EXACT && fraction <= 22) decimal = scaled(mantissa, fraction);
  else if (fraction <= 27) decimal = divideByPower(mantissa, fraction);
  else return 0;
  return start + length;
}

/**
 * The double nearest to mantissa / 10^fraction, for a mantissa other than 0. The quotient by 5^fraction has
 * 63 or 64 bits, with the last bit set if there is a remainder. So it rounds like the exact one, which needs
 * only 53 bits.
 */
function divideByPower(mantissa: u64, fraction: i32): f64 {
  const five = load<u64>(fives + (<usize>fraction << 3));
  const shift = clz(mantissa);
  const fiveShift = clz(five);
  const dividend = mantissa << shift;
  const quotient = divide(dividend >> 1, dividend << 63, five << fiveShift);
  const exponent = <i64>fiveShift - <i64>shift - 63 - <i64>fraction;
  return <f64>quotient * reinterpret<f64>((1023 + exponent) << 52);
}

/**
 * Divides 128 bits by 64, in digits of 32 bits (D. E. Knuth, The Art of Computer Programming 2, 4.3.1,
 * algorithm D). The divisor's highest bit is set, and it exceeds the dividend's high half. A remainder sets
 * the last bit.
 */
function divide(high: u64, low: u64, divisor: u64): u64 {
  const divisorHigh = divisor >> 32;
  const divisorLow = divisor & 0xffffffff;
  const first = estimateDigit(high, low >> 32, divisorHigh, divisorLow);
  const rest = ((high << 32) | (low >> 32)) - first * divisor;
  const second = estimateDigit(rest, low & 0xffffffff, divisorHigh, divisorLow);
  const remainder = ((rest << 32) | (low & 0xffffffff)) - second * divisor;
  return (first << 32) | second | <u64>(remainder != 0);
}

/**
 * The next digit of the quotient of `high` and 32 further bits: estimated from the high half, then corrected.
 */
// @ts-ignore: decorator
@inline
function estimateDigit(high: u64, next: u64, divisorHigh: u64, divisorLow: u64): u64 {
  let digit = high / divisorHigh;
  let rest = high - digit * divisorHigh;
  while (digit >> 32 != 0 || digit * divisorLow > ((rest << 32) | next)) {
    digit--;
    rest += divisorHigh;
    if (rest >> 32 != 0) break;
  }
  return digit;
}

// Finds the distinct values of a column of doubles, 64-bit integers or 16 bytes. Bits are compared, so -0 differs
// from 0.

/** If most of the first values are distinct, the dictionary is abandoned. */
const TRIAL: i32 = 8192;
const MAX_TRIAL_DISTINCT: i32 = 7372;

/** Initial number of slots, a power of two: a small table stays in the processor's caches. It grows fourfold. */
const FIRST_SLOTS: i32 = 2048;

// @ts-ignore: decorator
@inline
export function isMostlyDistinct(distinct: i32, seen: i32): bool {
  return seen < TRIAL && distinct > MAX_TRIAL_DISTINCT;
}

/**
 * Stores the distinct values, in order of first appearance, at `distinct`, and each value's position among
 * them at `indices`. Returns their number; -1 if it exceeds `maxDistinct`.
 * @param slots buffer for 2048 integers, plus eight for each of `maxDistinct`.
 */
export function findDistinctDoubles(
  values: usize,
  count: i32,
  maxDistinct: i32,
  slots: usize,
  distinct: usize,
  indices: usize,
): i32 {
  return findDistinct<u64>(values, count, maxDistinct, slots, distinct, indices);
}

/** The same for values of another size. */
// @ts-ignore: decorator
@inline
export function findDistinct<T>(
  values: usize,
  count: i32,
  maxDistinct: i32,
  slots: usize,
  distinct: usize,
  indices: usize,
): i32 {
  let mask = FIRST_SLOTS - 1;
  let shift = hashShift(mask);
  memory.fill(slots, 0, <usize>FIRST_SLOTS << 2);
  let size = 0;
  for (let i = 0; i < count; i++) {
    const value = load<T>(values + <usize>i * sizeof<T>());
    let slot = hashBits<T>(value, shift);
    let index = load<i32>(slots + (<usize>slot << 2)) - 1;
    while (index >= 0 && !isEqual<T>(load<T>(distinct + <usize>index * sizeof<T>()), value)) {
      slot = (slot + 1) & mask;
      index = load<i32>(slots + (<usize>slot << 2)) - 1;
    }
    if (index < 0) {
      if (size >= maxDistinct || isMostlyDistinct(size, i)) return -1;
      index = size++;
      store<i32>(slots + (<usize>slot << 2), size);
      store<T>(distinct + <usize>index * sizeof<T>(), value);
      if (2 * size > mask) {
        mask = 4 * mask + 3;
        shift -= 2;
        fillSlots<T>(slots, mask, distinct, size);
      }
    }
    store<i32>(indices + (<usize>i << 2), index);
  }
  return size;
}

function fillSlots<T>(slots: usize, mask: i32, distinct: usize, size: i32): void {
  memory.fill(slots, 0, (<usize>mask + 1) << 2);
  const shift = hashShift(mask);
  for (let index = 0; index < size; index++) {
    let slot = hashBits<T>(load<T>(distinct + <usize>index * sizeof<T>()), shift);
    while (load<i32>(slots + (<usize>slot << 2)) != 0) slot = (slot + 1) & mask;
    store<i32>(slots + (<usize>slot << 2), index + 1);
  }
}

// @ts-ignore: decorator
@inline
function isEqual<T>(a: T, b: T): bool {
  if (isVector<T>()) return i8x16.all_true(i8x16.eq(a, b));
  return a == b;
}

/** Number of low bits of a hash to drop, so that it is a slot from 0 to `mask`. */
// @ts-ignore: decorator
@inline
function hashShift(mask: i32): i32 {
  return 64 - popcnt(mask);
}

// @ts-ignore: decorator
@inline
function hashBits<T>(value: T, shift: i32): i32 {
  if (isVector<T>()) {
    const low = i64x2.extract_lane(value, 0);
    return hashLong(<u64>low ^ rotl<u64>(<u64>i64x2.extract_lane(value, 1), 32), shift);
  }
  return hashLong(<u64>value, shift);
}

/** The highest bits of the product, since only these depend on the highest bits of the value, in which round doubles differ. */
// @ts-ignore: decorator
@inline
function hashLong(bits: u64, shift: i32): i32 {
  return <i32>((bits * 0x9e3779b97f4a7c15) >> shift);
}

// Finds properties of numbers that determine their encoding.

/** Minimum and maximum of the last call; Infinity and -Infinity without values. */
export let minValue: f64 = 0;
export let maxValue: f64 = 0;
/** Number of times in the last call that are less than their predecessor. */
export let stepsBack: i32 = 0;

export function findRange(values: usize, count: i32): void {
  let minimums = f64x2.splat(Infinity);
  let maximums = f64x2.splat(-Infinity);
  let i: i32 = 0;
  for (; i + 2 <= count; i += 2) {
    const pair = v128.load(values + (<usize>i << 3));
    minimums = f64x2.pmin(minimums, pair);
    maximums = f64x2.pmax(maximums, pair);
  }
  minValue = Math.min(f64x2.extract_lane(minimums, 0), f64x2.extract_lane(minimums, 1));
  maxValue = Math.max(f64x2.extract_lane(maximums, 0), f64x2.extract_lane(maximums, 1));
  if (i == count) return;
  const last = load<f64>(values + (<usize>i << 3));
  if (last < minValue) minValue = last;
  if (last > maxValue) maxValue = last;
}

/** The low bits of the sum of MAGIC and a smaller integer are that integer. */
const MAX_MAGIC: f64 = 2251799813685248; // 2^51
const MAGIC: f64 = 6755399441055744; // 2^52 + 2^51

/**
 * Converts integers in doubles to 64-bit integers, in place; finds their range and how often they step back.
 */
export function convertToLongs(values: usize, count: i32): void {
  findRange(values, count);
  const start = minValue >= -MAX_MAGIC && maxValue < MAX_MAGIC ? convertPairs(values, count) : 0;
  if (start == 0) stepsBack = 0;
  for (let i = start; i < count; i++) {
    const at = values + (<usize>i << 3);
    const value = <i64>load<f64>(at);
    store<i64>(at, value);
    if (i > 0 && value < load<i64>(at - 8)) stepsBack++;
  }
}

/** Converts pairs of smaller integers, and counts their steps back; returns the number of converted integers. */
function convertPairs(values: usize, count: i32): i32 {
  const magic = f64x2.splat(MAGIC);
  let back = i64x2.splat(0);
  let previous = f64x2.splat(-Infinity);
  let i: i32 = 0;
  for (; i + 2 <= count; i += 2) {
    const at = values + (<usize>i << 3);
    const pair = v128.load(at);
    // A comparison gives -1 if it is true.
    back = i64x2.sub(back, f64x2.lt(pair, v128.shuffle<f64>(previous, pair, 1, 2)));
    v128.store(at, i64x2.sub(f64x2.add(pair, magic), magic));
    previous = pair;
  }
  stepsBack = <i32>(i64x2.extract_lane(back, 0) + i64x2.extract_lane(back, 1));
  return i;
}

// Parses decimals.
import { POINT } from '../bytes';
import { loadDigits, sixteenDigits, findNonDigits } from '../digits';

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

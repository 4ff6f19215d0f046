// Digits to numbers.

/** 10^0 to 10^22, the powers of ten that a double holds exactly. */
const powers: usize = memory.data(23 * 8, 16);

/**
 * For a decimal within 16 bytes, by where its point is and where it ends: the shuffle that moves its digits to the
 * right and drops the point. The same place twice is a number without a point.
 */
const shuffles: usize = memory.data(16 * 16 * 16, 16);

const DROPPED: u8 = 0x80;
const MOST_EXACT: u64 = 9007199254740991;

export function makeTables(): void {
  for (let i = 0, power: f64 = 1; i < 23; i++, power *= 10) store<f64>(powers + (i << 3), power);
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

/** The value of each digit from 0 to 9, of any other byte something greater. */
// @ts-ignore: decorator
@inline
export function digitsAt(p: usize): v128 {
  return i8x16.sub(v128.load(p), i8x16.splat(48));
}

/** A bit for each byte that is no digit. */
// @ts-ignore: decorator
@inline
export function stopsIn(digits: v128): i32 {
  return i8x16.bitmask(i8x16.eq(i8x16.min_u(digits, i8x16.splat(9)), digits)) ^ 0xffff;
}

/** The number that 16 digits make: added up by pairs, then fours, then eights. */
// @ts-ignore: decorator
@inline
export function sixteenDigits(digits: v128): i64 {
  const first = v128.and(digits, i16x8.splat(0xff));
  const pairs = i16x8.add(i16x8.mul(first, i16x8.splat(10)), i16x8.shr_u(digits, 8));
  const fours = i32x4.dot_i16x8_s(pairs, i16x8(100, 1, 100, 1, 100, 1, 100, 1));
  const packed = i16x8.narrow_i32x4_s(fours, fours);
  const eights = i32x4.dot_i16x8_s(packed, i16x8(10000, 1, 10000, 1, 10000, 1, 10000, 1));
  return <i64>i32x4.extract_lane(eights, 0) * 100000000 + <i64>i32x4.extract_lane(eights, 1);
}

/** The number whose digits are the first `end` bytes but the one at `point`; up to 15 bytes. */
// @ts-ignore: decorator
@inline
export function shortDecimal(digits: v128, point: i32, end: i32): i64 {
  const shuffle = v128.load(shuffles + (((point << 4) + end) << 4));
  return sixteenDigits(i8x16.swizzle(digits, shuffle));
}

/**
 * A mantissa up to 2^53 is exact, and so is the power, so the division rounds once, as IEEE 754 asks, and gives the
 * double nearest to the decimal (W. D. Clinger, "How to read floating point numbers accurately", 1990).
 */
// @ts-ignore: decorator
@inline
export function scaled(mantissa: i64, fraction: i32): f64 {
  return <f64>mantissa / load<f64>(powers + (<usize>fraction << 3));
}

/** What the last call of `longDecimal` read. */
export let decimal: f64 = 0;

/**
 * Reads digits, one by one, and a point among them; gives where they end. 0 for what is no decimal, and for what
 * needs more than one exact division.
 */
export function longDecimal(start: usize): usize {
  let mantissa: u64 = 0;
  let point: usize = 0;
  let p = start;
  for (; ; p++) {
    const byte = <u32>load<u8>(p);
    const digit = byte - 48;
    if (digit < 10) {
      mantissa = mantissa * 10 + digit;
      if (mantissa > MOST_EXACT) return 0;
    } else if (byte == 46 && point == 0 && p > start) point = p;
    else break;
  }
  if (p == start) return 0;
  if (point == 0) {
    decimal = <f64>mantissa;
    return p;
  }
  const fraction = <i32>(p - point) - 1;
  if (fraction < 1 || fraction > 22) return 0;
  decimal = scaled(mantissa, fraction);
  return p;
}

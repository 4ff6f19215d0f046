// Parses digits, 16 at a time.

/** The value of each digit from 0 to 9; greater than 9 for any other byte. */
// @ts-ignore: decorator
@inline
export function toDigits(text: v128): v128 {
  return i8x16.sub(text, i8x16.splat(48));
}

/** Like `toDigits`, for the 16 bytes at `p`. */
// @ts-ignore: decorator
@inline
export function loadDigits(p: usize): v128 {
  return toDigits(v128.load(p));
}

/** A bit for each byte that is not a digit. */
// @ts-ignore: decorator
@inline
export function findNonDigits(digits: v128): i32 {
  return i8x16.bitmask(i8x16.gt_u(digits, i8x16.splat(9)));
}

/** The value of 16 digits: added by pairs, then fours, then eights. */
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

// Copies and compares bytes, 16 at a time, so up to 15 bytes after the end are read and written.
export const LF: i32 = 10;
export const CR: i32 = 13;
export const QUOTE: i32 = 34;
export const COMMA: i32 = 44;
export const MINUS: i32 = 45;
export const POINT: i32 = 46;
export const ZERO: i32 = 48;
export const BACKSLASH: i32 = 92;
export const CR_LF: u16 = 0x0a0d;

// @ts-ignore: decorator
@inline
export function copy(to: usize, from: usize, length: i32): void {
  v128.store(to, v128.load(from));
  for (let i: i32 = 16; i < length; i += 16) v128.store(to + i, v128.load(from + i));
}

/** Number of equal bytes at `a` and `b`, up to `maxLength` or slightly more. */
// @ts-ignore: decorator
@inline
export function sharedLength(a: usize, b: usize, maxLength: i32): i32 {
  for (let length: i32 = 0; length < maxLength; length += 16) {
    const differ = i8x16.bitmask(i8x16.ne(v128.load(a + length), v128.load(b + length)));
    if (differ) return length + ctz(differ);
  }
  return maxLength;
}

/** A bit for each of the 16 bytes at `p`: 1 if it is a comma or LF. */
// @ts-ignore: decorator
@inline
function findSeparators(p: usize): i32 {
  const bytes = v128.load(p);
  return i8x16.bitmask(v128.or(i8x16.eq(bytes, i8x16.splat(<i8>COMMA)), i8x16.eq(bytes, i8x16.splat(<i8>LF))));
}

/** Address of the comma or LF that ends the cell at `p`. */
// @ts-ignore: decorator
@inline
export function findCellEnd(p: usize): usize {
  let bits = findSeparators(p);
  for (; bits == 0; bits = findSeparators(p)) p += 16;
  return p + ctz(bits);
}

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

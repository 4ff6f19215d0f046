// Bytes, 16 at a time: what is copied or compared may reach 15 bytes past its end.

export const LF: i32 = 10;
export const QUOTE: i32 = 34;
export const COMMA: i32 = 44;
export const MINUS: i32 = 45;
export const POINT: i32 = 46;
export const ZERO: i32 = 48;
export const BACKSLASH: i32 = 92;
export const CR_LF: u16 = 0x0a0d;

/** Which of 16 bytes are no digits; `t` is the text less 48. */
// @ts-ignore: decorator
@inline
export function nonDigits(t: v128): i32 {
  return i8x16.bitmask(i8x16.gt_u(t, i8x16.splat(9)));
}

// @ts-ignore: decorator
@inline
export function copy(to: usize, from: usize, length: i32): void {
  v128.store(to, v128.load(from));
  for (let i: i32 = 16; i < length; i += 16) v128.store(to + i, v128.load(from + i));
}

/** How many bytes are the same at `a` and `b`: up to `most`, or some more. */
// @ts-ignore: decorator
@inline
export function sharedLength(a: usize, b: usize, most: i32): i32 {
  for (let same: i32 = 0; same < most; same += 16) {
    const differ = i8x16.bitmask(i8x16.ne(v128.load(a + same), v128.load(b + same)));
    if (differ) return same + ctz(differ);
  }
  return most;
}

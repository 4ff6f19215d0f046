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

/** Address of the comma or LF that ends the cell at `p`. */
// @ts-ignore: decorator
@inline
export function findCellEnd(p: usize): usize {
  let bits = 0;
  for (; ; p += 16) {
    const bytes = v128.load(p);
    const found = v128.or(i8x16.eq(bytes, i8x16.splat(<i8>COMMA)), i8x16.eq(bytes, i8x16.splat(<i8>LF)));
    bits = i8x16.bitmask(found);
    if (bits != 0) break;
  }
  return p + ctz(bits);
}

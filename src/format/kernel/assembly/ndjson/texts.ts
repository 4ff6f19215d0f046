// Formats texts and booleans as JSON.
import { BACKSLASH, COMMA, CR_LF, LF, QUOTE } from '../bytes';

/** The length of `true` or `false` at `p`; 0 for anything else. */
// @ts-ignore: decorator
@inline
export function booleanLength(p: usize): i32 {
  const word = load<u32>(p);
  if (word == 0x65757274) return 4;
  return word == 0x736c6166 && <i32>load<u8>(p, 4) == 101 ? 5 : 0;
}

/** Adds quotes around the text that was written at `to + 1`; returns the length with both. */
// @ts-ignore: decorator
@inline
export function quote(to: usize, length: i32): i32 {
  store<u8>(to, QUOTE);
  store<u8>(to + 1 + length, QUOTE);
  return length + 2;
}

/** The length of the cell at `p`; -1 if it has bytes that are escaped in JSON, or that are not ASCII. */
// @ts-ignore: decorator
@inline
export function plainLength(p: usize, first: v128): i32 {
  let text = first;
  let length: i32 = 0;
  for (;;) {
    const ends = i8x16.bitmask(
      v128.or(i8x16.eq(text, i8x16.splat(<i8>COMMA)), i8x16.eq(text, i8x16.splat(<i8>LF))),
    );
    const special = i8x16.bitmask(
      v128.or(
        v128.or(i8x16.eq(text, i8x16.splat(<i8>BACKSLASH)), i8x16.eq(text, i8x16.splat(<i8>QUOTE))),
        // Bytes from 0x80 on are negative.
        i8x16.lt_s(text, i8x16.splat(32)),
      ),
    );
    const end = ctz(ends | 0x10000);
    if (special & ((1 << end) - 1)) return -1;
    length += end;
    if (ends) break;
    text = v128.load(p + length);
  }
  return length;
}

// @ts-ignore: decorator
@inline
function isBetween(byte: u8, low: u8, high: u8): bool {
  return byte >= low && byte <= high;
}

/** The length of the UTF-8 sequence at `p`, which is not ASCII (Unicode, table 3-7); 0 if it is invalid. */
function sequenceLength(p: usize): i32 {
  const lead = load<u8>(p);
  const second = load<u8>(p, 1);
  if (isBetween(lead, 0xc2, 0xdf)) return isBetween(second, 0x80, 0xbf) ? 2 : 0;
  if (!isBetween(load<u8>(p, 2), 0x80, 0xbf)) return 0;
  if (isBetween(lead, 0xe0, 0xef)) {
    return isBetween(second, lead == 0xe0 ? 0xa0 : 0x80, lead == 0xed ? 0x9f : 0xbf) ? 3 : 0;
  }
  if (!isBetween(load<u8>(p, 3), 0x80, 0xbf) || !isBetween(lead, 0xf0, 0xf4)) return 0;
  return isBetween(second, lead == 0xf0 ? 0x90 : 0x80, lead == 0xf4 ? 0x8f : 0xbf) ? 4 : 0;
}

/**
 * The length of UTF-8 text without escapes; 0 for any other. A CR before the line's LF does not belong to it.
 */
export function textLength(p: usize): i32 {
  let q = p;
  for (;;) {
    const byte = <i32>load<u8>(q);
    if (byte >= 128) {
      const length = sequenceLength(q);
      if (length == 0) return 0;
      q += length;
      continue;
    }
    if (byte == COMMA || byte == LF || load<u16>(q) == CR_LF) break;
    if (byte < 32 || byte == BACKSLASH || byte == QUOTE) return 0;
    q++;
  }
  return <i32>(q - p);
}

// Finds decimals that are valid JSON.
import { MINUS, POINT, ZERO } from '../bytes';
import { toDigits, findNonDigits } from '../digits';

/** Whether a decimal with these integer digits has a leading zero, which JSON does not allow. */
// @ts-ignore: decorator
@inline
function hasLeadingZero(first: usize, digits: i32): bool {
  return digits > 1 && <i32>load<u8>(first) == ZERO;
}

/** The length of a decimal of up to 16 bytes; 0 if it has another form. */
// @ts-ignore: decorator
@inline
export function shortDecimal(p: usize, text: v128): i32 {
  const negative = <i32>(<i32>load<u8>(p) == MINUS);
  const stops = findNonDigits(toDigits(text)) & ~negative;
  const point = ctz(stops | 0x10000);
  let end = point;
  if (<i32>load<u8>(p + point) == POINT) {
    end = ctz((stops & (stops - 1)) | 0x10000);
    if (end == point + 1) return 0;
  }
  return point == negative || hasLeadingZero(p + negative, point - negative) ? 0 : end;
}

// @ts-ignore: decorator
@inline
function isDigit(byte: i32): bool {
  return <u32>(byte - ZERO) <= 9;
}

function digitsEnd(p: usize): usize {
  while (isDigit(load<u8>(p))) p++;
  return p;
}

/**
 * Like `shortDecimal`, for up to 64 bytes, with an exponent of up to two digits, far inside the range of a
 * double.
 */
export function longDecimal(p: usize): i32 {
  const first = p + <usize>(<i32>load<u8>(p) == MINUS);
  let q = digitsEnd(first);
  if (q == first || hasLeadingZero(first, <i32>(q - first))) return 0;
  if (<i32>load<u8>(q) == POINT) {
    const fraction = q + 1;
    q = digitsEnd(fraction);
    if (q == fraction) return 0;
  }
  if ((<i32>load<u8>(q) | 32) == 101) {
    const sign = <i32>load<u8>(q + 1);
    const exponent = q + 1 + <usize>(sign == MINUS || sign == 43);
    q = digitsEnd(exponent);
    if (q == exponent || q > exponent + 2) return 0;
  }
  return q - p <= 64 ? <i32>(q - p) : 0;
}

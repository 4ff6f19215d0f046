// Numbers, which lines have in JavaScript's shortest form.
import { MINUS, POINT, ZERO } from '../../../format/kernel/assembly/bytes';
import { digitsOf, stopsIn } from '../../../format/kernel/assembly/digits';

/** Writes any other decimal in that form; returns its length, at most 32 bytes, 0 for what is no number. */
// @ts-ignore: decorator
@external("env", "writeNumber")
export declare function writeNumber(p: usize, length: i32, to: usize): i32;

/** Six zeros. */
const ZEROS: u64 = 0x303030303030;
const SIX: u64 = 0xffffffffffff;

/**
 * The length of a decimal that is in the shortest form; 0 for any other, and for some that are, too: those with more
 * than 15 digits, and with an exponent. Up to 15 digits are never the double of another such decimal, so no shorter one
 * has their value; there must be no zeros that could be left out, and from 1e-6 on there is no exponent.
 */
// @ts-ignore: decorator
@inline
export function shortestLength(p: usize, text: v128): i32 {
  const negative = <i32>(<i32>load<u8>(p) == MINUS);
  const stops = stopsIn(digitsOf(text)) & ~negative;
  const point = ctz(stops | 0x10000);
  const first = p + negative;
  const startsWithZero = <i32>load<u8>(first) == ZERO;
  const wholeDigits = point - negative;
  if (<i32>load<u8>(p + point) != POINT) {
    // Minus zero loses its sign, and what has 16 digits may be none of the shortest.
    const isUsual = wholeDigits > 0 && wholeDigits < 16 && (!startsWithZero || point == 1);
    return isUsual ? point : 0;
  }
  const end = ctz((stops & (stops - 1)) | 0x10000);
  if (wholeDigits == 0 || end == point + 1 || <i32>load<u8>(p + end - 1) == ZERO) return 0;
  if (startsWithZero && (wholeDigits > 1 || (load<u64>(first, 2) & SIX) == ZEROS)) return 0;
  return end;
}

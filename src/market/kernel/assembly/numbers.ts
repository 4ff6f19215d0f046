// Numbers in lines have JavaScript's shortest form.
import { MINUS, POINT, ZERO } from '../../../format/kernel/assembly/bytes';
import { toDigits, findNonDigits } from '../../../format/kernel/assembly/digits';

/**
 * Writes any other decimal in that form; returns its length, at most 32 bytes, or 0 if it is not a number.
 */
// @ts-ignore: decorator
@external("env", "writeNumber")
export declare function writeNumber(p: usize, length: i32, to: usize): i32;

/** Six zeros. */
const ZEROS: u64 = 0x303030303030;
const SIX: u64 = 0xffffffffffff;

/**
 * The length of a decimal in its shortest form; 0 for any other, and also for decimals with more than 15
 * digits or an exponent. Two decimals of up to 15 digits never have the same double, so no shorter one has
 * its value. It must not have redundant zeros; from 1e-6 on there is no exponent.
 */
// @ts-ignore: decorator
@inline
export function shortestLength(p: usize, text: v128): i32 {
  const negative = <i32>(<i32>load<u8>(p) == MINUS);
  const stops = findNonDigits(toDigits(text)) & ~negative;
  const point = ctz(stops | 0x10000);
  const first = p + negative;
  const startsWithZero = <i32>load<u8>(first) == ZERO;
  const wholeDigits = point - negative;
  if (<i32>load<u8>(p + point) != POINT) {
    // Minus zero loses its sign, and a number of 16 digits may have a shorter form.
    const isUsual = wholeDigits > 0 && wholeDigits < 16 && (!startsWithZero || point == 1);
    return isUsual ? point : 0;
  }
  const end = ctz((stops & (stops - 1)) | 0x10000);
  if (wholeDigits == 0 || end == point + 1 || <i32>load<u8>(p + end - 1) == ZERO) return 0;
  if (startsWithZero && (wholeDigits > 1 || (load<u64>(first, 2) & SIX) == ZEROS)) return 0;
  return end;
}

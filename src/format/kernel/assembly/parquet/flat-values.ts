// Values without an encoding, as Arrow has them: bits for booleans, and texts with offsets.
import { copy } from '../bytes';

const MAX_OFFSET: i64 = 2147483647;

/** Packs bytes of 0 and 1 to bits, lowest first, padded with 0 to 16; inverted if `flip` is 1. */
export function packBooleans(bytes: usize, out: usize, count: i32, flip: i32): void {
  const flips = i8x16.splat(<i8>flip);
  for (let i: i32 = 0; i < count; i += 16) {
    const bits = i8x16.bitmask(i8x16.ne(v128.load(bytes + i), flips));
    const rest = count - i;
    store<u16>(out + (i >> 3), <u16>(rest < 16 ? bits & ((1 << rest) - 1) : bits));
  }
}

/**
 * Stores the offsets of the texts that `indices` select from a dictionary, one a row; nulls are empty. Returns the
 * total size, or -1 if it does not fit into 32 bits.
 * @param nulls a byte a row, 1 if it is null; 0 without nulls.
 */
export function storeOffsets(offsets: usize, indices: usize, nulls: usize, rows: i32, out: usize): i32 {
  let end: i64 = 0;
  store<i32>(out, 0);
  for (let row = 0; row < rows; row++) {
    if (nulls == 0 || load<u8>(nulls + row) == 0) {
      const offset = offsets + (<usize>load<i32>(indices + (<usize>row << 2)) << 2);
      end += load<i32>(offset, 4) - load<i32>(offset);
      if (end > MAX_OFFSET) return -1;
    }
    store<i32>(out + (<usize>(row + 1) << 2), <i32>end);
  }
  return <i32>end;
}

/** Copies the texts that `indices` select to `to`, at the offsets from `storeOffsets`. */
export function gatherTexts(
  bytes: usize,
  offsets: usize,
  indices: usize,
  rows: i32,
  to: usize,
  toOffsets: usize,
): void {
  for (let row = 0; row < rows; row++) {
    const at = load<i32>(toOffsets + (<usize>row << 2));
    const length = load<i32>(toOffsets + (<usize>(row + 1) << 2)) - at;
    if (length == 0) continue;
    const index = load<i32>(indices + (<usize>row << 2));
    copy(to + at, bytes + load<i32>(offsets + (<usize>index << 2)), length);
  }
}

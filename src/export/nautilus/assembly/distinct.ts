// Finds the distinct values of columns of 16 bytes and of one byte, as numbers.ts does for eight bytes.
import { findDistinct } from '../../../format/kernel/assembly/parquet/numbers';

/** Like `findDistinctDoubles`, for values of 16 bytes. */
export function findDistinctWide(
  values: usize,
  count: i32,
  maxDistinct: i32,
  slots: usize,
  distinct: usize,
  indices: usize,
): i32 {
  return findDistinct<v128>(values, count, maxDistinct, slots, distinct, indices);
}

const positions: usize = memory.data(256 * 4, 16);

/** Like `findDistinctWide`, for bytes; stores each distinct byte in `width` bytes, little-endian. */
export function findDistinctBytes(
  values: usize,
  count: i32,
  width: i32,
  distinct: usize,
  indices: usize,
): i32 {
  memory.fill(positions, 0, 256 * 4);
  let size = 0;
  for (let i = 0; i < count; i++) {
    const value = load<u8>(values + i);
    const known = positions + (<usize>value << 2);
    let position = load<i32>(known);
    if (position == 0) {
      const to = distinct + <usize>size * width;
      memory.fill(to, 0, width);
      store<u8>(to, value);
      position = ++size;
      store<i32>(known, position);
    }
    store<i32>(indices + (<usize>i << 2), position - 1);
  }
  return size;
}

// Lanes: the values of a column, each with the same number of bytes.
import { findDistinct } from '../../../format/columns/assembly/numbers';

/**
 * Converts integer microseconds, as doubles, to 64-bit nanoseconds without a sign. Returns the position of the first
 * time before 1970, where it stops; `count` if there is none.
 */
export function convertToNanoseconds(values: usize, count: i32, out: usize): i32 {
  for (let i = 0; i < count; i++) {
    const at = <usize>i << 3;
    const value = load<f64>(values + at);
    if (value < 0) return i;
    store<u64>(out + at, <u64>value * 1000);
  }
  return count;
}

/** The position of the first of `count` 64-bit integers that is less than its predecessor; `count` if none is. */
export function findStepBack(values: usize, count: i32): i32 {
  for (let i = 1; i < count; i++) {
    const at = values + (<usize>i << 3);
    if (load<u64>(at) < load<u64>(at - 8)) return i;
  }
  return count;
}

/** Copies the values at the 32-bit positions `rows` of a lane. */
export function gather(values: usize, width: i32, rows: usize, count: i32, out: usize): void {
  for (let i = 0; i < count; i++) {
    const from = values + <usize>load<u32>(rows + (<usize>i << 2)) * width;
    if (width == 16) v128.store(out, v128.load(from));
    else if (width == 8) store<u64>(out, load<u64>(from));
    else if (width == 1) store<u8>(out, load<u8>(from));
    else memory.copy(out, from, width);
    out += width;
  }
}

/** Stores the positions of the values of a lane that are not 0 at `rows`; returns their number. */
export function findNonZero(values: usize, width: i32, count: i32, rows: usize): i32 {
  let size = 0;
  for (let i = 0; i < count; i++) {
    const at = values + <usize>i * width;
    const bits = load<u64>(at) | (width == 16 ? load<u64>(at, 8) : 0);
    if (bits == 0) continue;
    store<i32>(rows + (<usize>size << 2), i);
    size++;
  }
  return size;
}

/** Minimum and maximum of the last call of `findLongRange`. */
export let minLong: u64 = 0;
export let maxLong: u64 = 0;

/** Finds the range of at least one 64-bit integer. */
export function findLongRange(values: usize, count: i32): void {
  minLong = u64.MAX_VALUE;
  maxLong = 0;
  for (let i = 0; i < count; i++) {
    const value = load<u64>(values + (<usize>i << 3));
    minLong = min(minLong, value);
    maxLong = max(maxLong, value);
  }
}

/** Finds the distinct values of a lane of 16 bytes, as `findDistinctDoubles` does for eight. */
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

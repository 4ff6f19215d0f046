// Finds the distinct values of columns of 16 bytes and of one byte, as doubles.ts does for eight bytes.
import { isMostlyDistinct } from '../../../format/kernel/assembly/parquet/doubles';

const FIRST_SLOTS: i32 = 2048;

/**
 * Stores the distinct values of 16 bytes, in order of first appearance, at `distinct`, and each value's position among
 * them at `indices`. Returns their number; -1 if it exceeds `maxDistinct`.
 * @param slots buffer for 2048 integers, plus four for each of `maxDistinct`.
 */
export function findDistinctWide(
  values: usize,
  count: i32,
  maxDistinct: i32,
  slots: usize,
  distinct: usize,
  indices: usize,
): i32 {
  let mask = FIRST_SLOTS - 1;
  memory.fill(slots, 0, <usize>FIRST_SLOTS << 2);
  let size = 0;
  for (let i = 0; i < count; i++) {
    const at = values + (<usize>i << 4);
    const low = load<u64>(at);
    const high = load<u64>(at, 8);
    let slot = hashWide(low, high) & mask;
    let index = load<i32>(slots + (<usize>slot << 2)) - 1;
    while (index >= 0) {
      const known = distinct + (<usize>index << 4);
      if (load<u64>(known) == low && load<u64>(known, 8) == high) break;
      slot = (slot + 1) & mask;
      index = load<i32>(slots + (<usize>slot << 2)) - 1;
    }
    if (index < 0) {
      if (size >= maxDistinct || isMostlyDistinct(size, i)) return -1;
      index = size++;
      store<i32>(slots + (<usize>slot << 2), size);
      store<u64>(distinct + (<usize>index << 4), low);
      store<u64>(distinct + (<usize>index << 4), high, 8);
      if (2 * size > mask) {
        mask = 2 * mask + 1;
        fillSlots(slots, mask, distinct, size);
      }
    }
    store<i32>(indices + (<usize>i << 2), index);
  }
  return size;
}

function fillSlots(slots: usize, mask: i32, distinct: usize, size: i32): void {
  memory.fill(slots, 0, (<usize>mask + 1) << 2);
  for (let index = 0; index < size; index++) {
    const at = distinct + (<usize>index << 4);
    let slot = hashWide(load<u64>(at), load<u64>(at, 8)) & mask;
    while (load<i32>(slots + (<usize>slot << 2)) != 0) slot = (slot + 1) & mask;
    store<i32>(slots + (<usize>slot << 2), index + 1);
  }
}

// @ts-ignore: decorator
@inline
function hashWide(low: u64, high: u64): i32 {
  return <i32>(((low ^ rotl<u64>(high, 32)) * 0x9e3779b97f4a7c15) >> 40);
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

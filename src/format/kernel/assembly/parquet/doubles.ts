// Finds the distinct values of a column of doubles or 64-bit integers. Bits are compared, so -0 differs from
// 0.

/** If most of the first values are distinct, the dictionary is abandoned. */
const TRIAL: i32 = 8192;
const MAX_TRIAL_DISTINCT: i32 = 7372;

/** Initial number of slots: a small table stays in the processor's caches. */
const FIRST_SLOTS: i32 = 2048;

// @ts-ignore: decorator
@inline
export function isMostlyDistinct(distinct: i32, seen: i32): bool {
  return seen < TRIAL && distinct > MAX_TRIAL_DISTINCT;
}

/**
 * Stores the distinct values, in order of first appearance, at `distinct`, and each value's position among
 * them at `indices`. Returns their number; -1 if it exceeds `maxDistinct`.
 * @param slots buffer for 2048 integers, plus four for each of `maxDistinct`.
 */
export function findDistinctDoubles(
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
    const value = load<u64>(values + (<usize>i << 3));
    let slot = hashBits(value) & mask;
    let index = load<i32>(slots + (<usize>slot << 2)) - 1;
    while (index >= 0 && load<u64>(distinct + (<usize>index << 3)) != value) {
      slot = (slot + 1) & mask;
      index = load<i32>(slots + (<usize>slot << 2)) - 1;
    }
    if (index < 0) {
      if (size >= maxDistinct || isMostlyDistinct(size, i)) return -1;
      index = size++;
      store<i32>(slots + (<usize>slot << 2), size);
      store<u64>(distinct + (<usize>index << 3), value);
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
    let slot = hashBits(load<u64>(distinct + (<usize>index << 3))) & mask;
    while (load<i32>(slots + (<usize>slot << 2)) != 0) slot = (slot + 1) & mask;
    store<i32>(slots + (<usize>slot << 2), index + 1);
  }
}

// @ts-ignore: decorator
@inline
function hashBits(value: u64): i32 {
  return <i32>((value * 0x9e3779b97f4a7c15) >> 40);
}

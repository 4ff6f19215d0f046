// Finds the distinct values of a column of doubles, 64-bit integers or 16 bytes. Bits are compared, so -0 differs
// from 0.

/** If most of the first values are distinct, the dictionary is abandoned. */
const TRIAL: i32 = 8192;
const MAX_TRIAL_DISTINCT: i32 = 7372;

/** Initial number of slots, a power of two: a small table stays in the processor's caches. It grows fourfold. */
const FIRST_SLOTS: i32 = 2048;

// @ts-ignore: decorator
@inline
export function isMostlyDistinct(distinct: i32, seen: i32): bool {
  return seen < TRIAL && distinct > MAX_TRIAL_DISTINCT;
}

/**
 * Stores the distinct values, in order of first appearance, at `distinct`, and each value's position among
 * them at `indices`. Returns their number; -1 if it exceeds `maxDistinct`.
 * @param slots buffer for 2048 integers, plus eight for each of `maxDistinct`.
 */
export function findDistinctDoubles(
  values: usize,
  count: i32,
  maxDistinct: i32,
  slots: usize,
  distinct: usize,
  indices: usize,
): i32 {
  return findDistinct<u64>(values, count, maxDistinct, slots, distinct, indices);
}

/** The same for values of another size. */
// @ts-ignore: decorator
@inline
export function findDistinct<T>(
  values: usize,
  count: i32,
  maxDistinct: i32,
  slots: usize,
  distinct: usize,
  indices: usize,
): i32 {
  let mask = FIRST_SLOTS - 1;
  let shift = hashShift(mask);
  memory.fill(slots, 0, <usize>FIRST_SLOTS << 2);
  let size = 0;
  for (let i = 0; i < count; i++) {
    const value = load<T>(values + <usize>i * sizeof<T>());
    let slot = hashBits<T>(value, shift);
    let index = load<i32>(slots + (<usize>slot << 2)) - 1;
    while (index >= 0 && !isEqual<T>(load<T>(distinct + <usize>index * sizeof<T>()), value)) {
      slot = (slot + 1) & mask;
      index = load<i32>(slots + (<usize>slot << 2)) - 1;
    }
    if (index < 0) {
      if (size >= maxDistinct || isMostlyDistinct(size, i)) return -1;
      index = size++;
      store<i32>(slots + (<usize>slot << 2), size);
      store<T>(distinct + <usize>index * sizeof<T>(), value);
      if (2 * size > mask) {
        mask = 4 * mask + 3;
        shift -= 2;
        fillSlots<T>(slots, mask, distinct, size);
      }
    }
    store<i32>(indices + (<usize>i << 2), index);
  }
  return size;
}

function fillSlots<T>(slots: usize, mask: i32, distinct: usize, size: i32): void {
  memory.fill(slots, 0, (<usize>mask + 1) << 2);
  const shift = hashShift(mask);
  for (let index = 0; index < size; index++) {
    let slot = hashBits<T>(load<T>(distinct + <usize>index * sizeof<T>()), shift);
    while (load<i32>(slots + (<usize>slot << 2)) != 0) slot = (slot + 1) & mask;
    store<i32>(slots + (<usize>slot << 2), index + 1);
  }
}

// @ts-ignore: decorator
@inline
function isEqual<T>(a: T, b: T): bool {
  if (isVector<T>()) return i8x16.all_true(i8x16.eq(a, b));
  return a == b;
}

/** Number of low bits of a hash to drop, so that it is a slot from 0 to `mask`. */
// @ts-ignore: decorator
@inline
function hashShift(mask: i32): i32 {
  return 64 - popcnt(mask);
}

// @ts-ignore: decorator
@inline
function hashBits<T>(value: T, shift: i32): i32 {
  if (isVector<T>()) {
    const low = i64x2.extract_lane(value, 0);
    return hashLong(<u64>low ^ rotl<u64>(<u64>i64x2.extract_lane(value, 1), 32), shift);
  }
  return hashLong(<u64>value, shift);
}

/** The highest bits of the product, since only these depend on the highest bits of the value, in which round doubles differ. */
// @ts-ignore: decorator
@inline
function hashLong(bits: u64, shift: i32): i32 {
  return <i32>((bits * 0x9e3779b97f4a7c15) >> shift);
}

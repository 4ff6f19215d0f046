// Finds properties of numbers that determine their encoding.

/** Minimum and maximum of the last call; Infinity and -Infinity without values. */
export let minValue: f64 = 0;
export let maxValue: f64 = 0;
/** Number of times in the last call that are less than their predecessor. */
export let stepsBack: i32 = 0;

export function findRange(values: usize, count: i32): void {
  let minimums = f64x2.splat(Infinity);
  let maximums = f64x2.splat(-Infinity);
  let i: i32 = 0;
  for (; i + 2 <= count; i += 2) {
    const pair = v128.load(values + (<usize>i << 3));
    minimums = f64x2.pmin(minimums, pair);
    maximums = f64x2.pmax(maximums, pair);
  }
  minValue = Math.min(f64x2.extract_lane(minimums, 0), f64x2.extract_lane(minimums, 1));
  maxValue = Math.max(f64x2.extract_lane(maximums, 0), f64x2.extract_lane(maximums, 1));
  if (i == count) return;
  const last = load<f64>(values + (<usize>i << 3));
  if (last < minValue) minValue = last;
  if (last > maxValue) maxValue = last;
}

/** The low bits of the sum of MAGIC and a smaller integer are that integer. */
const MAX_MAGIC: f64 = 2251799813685248; // 2^51
const MAGIC: f64 = 6755399441055744; // 2^52 + 2^51

/**
 * Converts integers in doubles to 64-bit integers, in place; finds their range and how often they step back.
 */
export function convertToLongs(values: usize, count: i32): void {
  findRange(values, count);
  const start = minValue >= -MAX_MAGIC && maxValue < MAX_MAGIC ? convertPairs(values, count) : 0;
  if (start == 0) stepsBack = 0;
  for (let i = start; i < count; i++) {
    const at = values + (<usize>i << 3);
    const value = <i64>load<f64>(at);
    store<i64>(at, value);
    if (i > 0 && value < load<i64>(at - 8)) stepsBack++;
  }
}

/** Converts pairs of smaller integers, and counts their steps back; returns the number of converted integers. */
function convertPairs(values: usize, count: i32): i32 {
  const magic = f64x2.splat(MAGIC);
  let back = i64x2.splat(0);
  let previous = f64x2.splat(-Infinity);
  let i: i32 = 0;
  for (; i + 2 <= count; i += 2) {
    const at = values + (<usize>i << 3);
    const pair = v128.load(at);
    // A comparison gives -1 if it is true.
    back = i64x2.sub(back, f64x2.lt(pair, v128.shuffle<f64>(previous, pair, 1, 2)));
    v128.store(at, i64x2.sub(f64x2.add(pair, magic), magic));
    previous = pair;
  }
  stepsBack = <i32>(i64x2.extract_lane(back, 0) + i64x2.extract_lane(back, 1));
  return i;
}

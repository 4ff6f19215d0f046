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

/**
 * Converts integers in doubles to 64-bit integers, in place; finds their range and how often they step back.
 */
export function convertToLongs(values: usize, count: i32): void {
  let lowest: f64 = Infinity;
  let highest: f64 = -Infinity;
  let back = 0;
  let previous: f64 = -Infinity;
  for (let i = 0; i < count; i++) {
    const at = values + (<usize>i << 3);
    const value = load<f64>(at);
    store<i64>(at, <i64>value);
    if (value < lowest) lowest = value;
    if (value > highest) highest = value;
    back += <i32>(value < previous);
    previous = value;
  }
  minValue = lowest;
  maxValue = highest;
  stepsBack = back;
}

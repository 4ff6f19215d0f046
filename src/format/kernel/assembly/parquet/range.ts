// What is to know of numbers before one chooses how to encode them.

/** The least and the greatest value of the last call; of none, Infinity and -Infinity. */
export let least: f64 = 0;
export let greatest: f64 = 0;
/** How many times of the last call are less than the one before them. */
export let stepsBack: i32 = 0;

export function findRange(values: usize, count: i32): void {
  let leasts = f64x2.splat(Infinity);
  let greatests = f64x2.splat(-Infinity);
  let i: i32 = 0;
  for (; i + 2 <= count; i += 2) {
    const pair = v128.load(values + (<usize>i << 3));
    leasts = f64x2.pmin(leasts, pair);
    greatests = f64x2.pmax(greatests, pair);
  }
  least = Math.min(f64x2.extract_lane(leasts, 0), f64x2.extract_lane(leasts, 1));
  greatest = Math.max(f64x2.extract_lane(greatests, 0), f64x2.extract_lane(greatests, 1));
  if (i == count) return;
  const last = load<f64>(values + (<usize>i << 3));
  if (last < least) least = last;
  if (last > greatest) greatest = last;
}

/** Makes whole numbers in doubles 64-bit integers, in place, and finds their range and how often they step back. */
export function toLongs(values: usize, count: i32): void {
  let lowest: f64 = Infinity;
  let highest: f64 = -Infinity;
  let back = 0;
  let before: f64 = -Infinity;
  for (let i = 0; i < count; i++) {
    const at = values + (<usize>i << 3);
    const value = load<f64>(at);
    store<i64>(at, <i64>value);
    if (value < lowest) lowest = value;
    if (value > highest) highest = value;
    back += <i32>(value < before);
    before = value;
  }
  least = lowest;
  greatest = highest;
  stepsBack = back;
}

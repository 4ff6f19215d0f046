// Counts line feeds.

const LF: u8 = 10;
/** Maximum number of comparisons that are added up in a byte. */
const MAX_COMPARISONS: usize = 255;

/** Number of line feeds from `from` up to `to`. */
export function countLineFeeds(from: usize, to: usize): i32 {
  const lineFeed = i8x16.splat(LF);
  let p = from;
  let sums = i32x4.splat(0);
  while (p + 16 <= to) {
    const end = min(p + 16 * MAX_COMPARISONS, to - 15);
    // A comparison gives -1 for an equal byte.
    let bytes = i8x16.splat(0);
    for (; p < end; p += 16) bytes = i8x16.sub(bytes, i8x16.eq(v128.load(p), lineFeed));
    sums = i32x4.add(sums, i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(bytes)));
  }
  let count =
    i32x4.extract_lane(sums, 0) +
    i32x4.extract_lane(sums, 1) +
    i32x4.extract_lane(sums, 2) +
    i32x4.extract_lane(sums, 3);
  for (; p < to; p++) count += i32(load<u8>(p) == LF);
  return count;
}

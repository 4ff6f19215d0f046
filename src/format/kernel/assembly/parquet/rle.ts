// The RLE / bit-packing hybrid (format specification, Encodings.md, RLE = 3): long runs of one value as a run,
// everything between them bit-packed in groups of eight.
import { packBits, writeVarint } from './bits';

/** Writes 32-bit values of 1 to 31 bits; gives where it ends. */
function writeRle(out: usize, values: usize, start: i32, end: i32, width: i32): usize {
  const leastRun = shortestRun(width);
  let packedFrom = start;
  let i = start;
  while (i + leastRun <= end) {
    // Looking back from where the shortest run would end passes over most values unseen.
    const value = load<i32>(values + (<usize>(i + leastRun - 1) << 2));
    let runStart = i + leastRun - 1;
    while (runStart > i && load<i32>(values + (<usize>(runStart - 1) << 2)) == value) runStart--;
    if (runStart > i) {
      i = runStart;
      continue;
    }
    i = endOfRun(values, i + leastRun, end, value);
    // Only the last packed part may be filled up, so the run gives what the part before it lacks.
    runStart += (8 - ((runStart - packedFrom) & 7)) & 7;
    out = writePacked(out, values, packedFrom, runStart, width);
    out = writeRun(out, value, i - runStart, width);
    packedFrom = i;
  }
  return writePacked(out, values, packedFrom, end, width);
}

/** Positions in a dictionary, with their width before them. */
export function writeIndices(out: usize, values: usize, start: i32, end: i32, width: i32): usize {
  store<u8>(out, <u8>width);
  return writeRle(out + 1, values, start, end, width);
}

/** Values of one bit with their size in four bytes before them, as levels and booleans have it. */
export function writeSizedBits(out: usize, values: usize, start: i32, end: i32): usize {
  const behind = writeRle(out + 4, values, start, end, 1);
  store<u32>(out, <u32>(behind - out - 4));
  return behind;
}

/** The same for ones alone. */
export function writeSizedOnes(out: usize, count: i32): usize {
  const behind = writeRun(out + 4, 1, count, 1);
  store<u32>(out, <u32>(behind - out - 4));
  return behind;
}

/** `count` times the same value. */
function writeRun(out: usize, value: i32, count: i32, width: i32): usize {
  out = writeVarint(out, <u64>count << 1);
  for (let shift = 0; shift < width; shift += 8) store<u8>(out++, <u8>(value >> shift));
  return out;
}

function endOfRun(values: usize, from: i32, end: i32, value: i32): i32 {
  const all = i32x4.splat(value);
  let i = from;
  while (i + 4 <= end && i32x4.all_true(i32x4.eq(v128.load(values + (<usize>i << 2)), all))) i += 4;
  while (i < end && load<i32>(values + (<usize>i << 2)) == value) i++;
  return i;
}

/**
 * From here on a run pays: it takes a header of its own, its value, and a header for the packed part after it.
 * Shorter runs are left to the compression, which does better on packed bits that aren't interrupted.
 */
function shortestRun(width: i32): i32 {
  return 8 + (8 * (3 + ((width + 7) >> 3)) + width - 1) / width;
}

function writePacked(out: usize, values: usize, start: i32, end: i32, width: i32): usize {
  if (start == end) return out;
  out = writeVarint(out, (((<u64>(end - start) + 7) >> 3) << 1) | 1);
  return packBits(out, values, start, end, width);
}

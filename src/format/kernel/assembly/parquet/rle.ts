// The RLE / bit-packing hybrid (https://github.com/apache/parquet-format/blob/master/Encodings.md, RLE = 3):
// long runs of one value are runs, and everything between them is bit-packed in groups of eight.
import { packBits, writeVarint } from './bits';

/** Writes 32-bit values of 1 to 31 bits; returns the end. */
function writeRle(out: usize, values: usize, start: i32, end: i32, width: i32): usize {
  const minRun = minRunLength(width);
  let packedFrom = start;
  let i = start;
  while (i + minRun <= end) {
    // Search backwards from the end of the shortest run: most values are then never read.
    const value = load<i32>(values + (<usize>(i + minRun - 1) << 2));
    let runStart = i + minRun - 1;
    while (runStart > i && load<i32>(values + (<usize>(runStart - 1) << 2)) == value) runStart--;
    if (runStart > i) {
      i = runStart;
      continue;
    }
    i = findRunEnd(values, i + minRun, end, value);
    // Only the last packed part may be padded, so the run gives some of its values to the part before it.
    runStart += (8 - ((runStart - packedFrom) & 7)) & 7;
    out = writePacked(out, values, packedFrom, runStart, width);
    out = writeRun(out, value, i - runStart, width);
    packedFrom = i;
  }
  return writePacked(out, values, packedFrom, end, width);
}

/** Writes positions in a dictionary, after their width. */
export function writeIndices(out: usize, values: usize, start: i32, end: i32, width: i32): usize {
  store<u8>(out, <u8>width);
  return writeRle(out + 1, values, start, end, width);
}

/** Writes values of one bit, after their size in four bytes, as levels and booleans require. */
export function writeSizedBits(out: usize, values: usize, start: i32, end: i32): usize {
  const stop = writeRle(out + 4, values, start, end, 1);
  store<u32>(out, <u32>(stop - out - 4));
  return stop;
}

/** Like `writeSizedBits`, if all values are 1. */
export function writeSizedOnes(out: usize, count: i32): usize {
  const stop = writeRun(out + 4, 1, count, 1);
  store<u32>(out, <u32>(stop - out - 4));
  return stop;
}

/** Writes a run of `count` equal values. */
function writeRun(out: usize, value: i32, count: i32, width: i32): usize {
  out = writeVarint(out, <u64>count << 1);
  for (let shift = 0; shift < width; shift += 8) store<u8>(out++, <u8>(value >> shift));
  return out;
}

function findRunEnd(values: usize, from: i32, end: i32, value: i32): i32 {
  const all = i32x4.splat(value);
  let i = from;
  while (i + 4 <= end && i32x4.all_true(i32x4.eq(v128.load(values + (<usize>i << 2)), all))) i += 4;
  while (i < end && load<i32>(values + (<usize>i << 2)) == value) i++;
  return i;
}

/**
 * Minimum length of a run. A run costs its header, its value, and a header for the packed part after it.
 * Shorter runs are bit-packed, since packed bits without interruptions compress better.
 */
function minRunLength(width: i32): i32 {
  return 8 + (8 * (3 + ((width + 7) >> 3)) + width - 1) / width;
}

function writePacked(out: usize, values: usize, start: i32, end: i32, width: i32): usize {
  if (start == end) return out;
  out = writeVarint(out, (((<u64>(end - start) + 7) >> 3) << 1) | 1);
  return packBits(out, values, start, end, width);
}

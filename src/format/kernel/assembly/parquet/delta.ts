// Writes integers as differences (https://github.com/apache/parquet-format/blob/master/Encodings.md,
// DELTA_BINARY_PACKED = 5): each block of 128 has its minimum difference, and the differences above it,
// packed with the width that each quarter of the block needs.
import { packWideBits, writeVarint, writeZigzag } from './bits';

const BLOCK: i32 = 128;
const MINIBLOCKS: i32 = 4;
const MINIBLOCK: i32 = 32;

/** The differences of one block. */
const steps: usize = memory.data(128 * 8, 16);

/**
 * Writes 64-bit integers whose differences, and the differences of those, fit into 64 bits; returns the end.
 * @param count number of all values. A page without values begins with the value after it, if there is one.
 */
export function writeDeltaLongs(out: usize, values: usize, start: i32, end: i32, count: i32): usize {
  return writeDelta<i64>(out, values, start, end, start < count);
}

/** Like `writeDeltaLongs`, for 32-bit integers. */
export function writeDeltaIntegers(out: usize, values: usize, start: i32, end: i32): usize {
  return writeDelta<i32>(out, values, start, end, start < end);
}

function writeDelta<T>(out: usize, values: usize, start: i32, end: i32, hasFirst: bool): usize {
  out = writeVarint(out, BLOCK);
  out = writeVarint(out, MINIBLOCKS);
  out = writeVarint(out, end - start);
  out = writeZigzag(out, hasFirst ? <i64>load<T>(values + <usize>start * sizeof<T>()) : 0);
  for (let block = start + 1; block < end; block += BLOCK) {
    const count = min(BLOCK, end - block);
    out = writeBlock(out, count, storeSteps<T>(values, block, count));
  }
  return out;
}

/** Stores a block's differences in `steps`; returns the minimum. */
// @ts-ignore: decorator
@inline
function storeSteps<T>(values: usize, start: i32, count: i32): i64 {
  let minimum = i64.MAX_VALUE;
  const from = values + <usize>start * sizeof<T>();
  let previous = <i64>load<T>(from - sizeof<T>());
  for (let i = 0; i < count; i++) {
    const value = <i64>load<T>(from + <usize>i * sizeof<T>());
    const step = value - previous;
    previous = value;
    if (step < minimum) minimum = step;
    store<i64>(steps + (<usize>i << 3), step);
  }
  return minimum;
}

function writeBlock(out: usize, count: i32, minimum: i64): usize {
  out = writeZigzag(out, minimum);
  const widths = out;
  store<u32>(widths, 0);
  out += MINIBLOCKS;
  for (let i = count; i & (MINIBLOCK - 1); i++) store<i64>(steps + (<usize>i << 3), minimum);
  for (let from = 0; from < count; from += MINIBLOCK) {
    const miniblock = steps + (<usize>from << 3);
    const width = 64 - <i32>clz(subtractMinimum(miniblock, minimum));
    store<u8>(widths + from / MINIBLOCK, <u8>width);
    if (width != 0) out = packWideBits(out, miniblock, MINIBLOCK, width);
  }
  return out;
}

/** Subtracts the minimum from a miniblock's differences; returns the union of their bits. */
// @ts-ignore: decorator
@inline
function subtractMinimum(miniblock: usize, minimum: i64): u64 {
  const minimums = i64x2.splat(minimum);
  let all = i64x2.splat(0);
  for (let at = miniblock; at < miniblock + (MINIBLOCK << 3); at += 16) {
    const above = i64x2.sub(v128.load(at), minimums);
    v128.store(at, above);
    all = v128.or(all, above);
  }
  return i64x2.extract_lane(all, 0) | i64x2.extract_lane(all, 1);
}

// Integers as differences (format specification, Encodings.md, DELTA_BINARY_PACKED = 5): each block of 128 holds its
// least difference, and what each difference is above it, packed as tightly as each quarter of the block allows.
import { packWideBits, writeVarint, writeZigzag } from './bits';

const BLOCK: i32 = 128;
const MINIBLOCKS: i32 = 4;
const MINIBLOCK: i32 = 32;

/** The differences of one block. */
const steps: usize = memory.data(128 * 8, 16);

/**
 * Writes 64-bit integers, of `count`, whose differences, and the differences of those, stay within 64 bits; gives the
 * end. A page of no values, as of nulls alone, begins with the value behind it, as it always has.
 */
export function writeDeltaLongs(out: usize, values: usize, start: i32, end: i32, count: i32): usize {
  return writeDelta<i64>(out, values, start, end, start < count);
}

/** The same for 32-bit integers. */
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
    out = writeBlock(out, count, takeSteps<T>(values, block, count));
  }
  return out;
}

/** Puts a block's differences into `steps`; gives the least. */
// @ts-ignore: decorator
@inline
function takeSteps<T>(values: usize, start: i32, count: i32): i64 {
  let least = i64.MAX_VALUE;
  const from = values + <usize>start * sizeof<T>();
  let before = <i64>load<T>(from - sizeof<T>());
  for (let i = 0; i < count; i++) {
    const value = <i64>load<T>(from + <usize>i * sizeof<T>());
    const step = value - before;
    before = value;
    if (step < least) least = step;
    store<i64>(steps + (<usize>i << 3), step);
  }
  return least;
}

function writeBlock(out: usize, count: i32, least: i64): usize {
  out = writeZigzag(out, least);
  const widths = out;
  store<u32>(widths, 0);
  out += MINIBLOCKS;
  for (let i = count; i & (MINIBLOCK - 1); i++) store<i64>(steps + (<usize>i << 3), least);
  for (let from = 0; from < count; from += MINIBLOCK) {
    const miniblock = steps + (<usize>from << 3);
    const width = 64 - <i32>clz(lift(miniblock, least));
    store<u8>(widths + from / MINIBLOCK, <u8>width);
    if (width != 0) out = packWideBits(out, miniblock, MINIBLOCK, width);
  }
  return out;
}

/** Makes a miniblock's differences what they are above the least; gives all bits that occur. */
// @ts-ignore: decorator
@inline
function lift(miniblock: usize, least: i64): u64 {
  const leasts = i64x2.splat(least);
  let all = i64x2.splat(0);
  for (let at = miniblock; at < miniblock + (MINIBLOCK << 3); at += 16) {
    const above = i64x2.sub(v128.load(at), leasts);
    v128.store(at, above);
    all = v128.or(all, above);
  }
  return i64x2.extract_lane(all, 0) | i64x2.extract_lane(all, 1);
}

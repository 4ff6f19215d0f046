// Counts rows and bytes of columns, and finds the first quote.
import { findSeparators } from './bytes';

const LF: u8 = 10;
const QUOTE: u8 = 34;

/**
 * Number of rows that ended in the last scan, and the address after the last of them; 0 if there are none.
 */
export let rows: i32 = 0;
export let end: usize = 0;

/**
 * Scans from `from` up to `to`, to the end of row number `maxRows`, or to a quote; returns where it stopped.
 */
export function scan(from: usize, to: usize, maxRows: i32): usize {
  const lf = i8x16.splat(LF);
  const quote = i8x16.splat(QUOTE);
  let p = from;
  let n: i32 = 0;
  let lastEnd: usize = 0;
  while (p + 64 <= to) {
    const a = v128.load(p);
    const b = v128.load(p, 16);
    const c = v128.load(p, 32);
    const d = v128.load(p, 48);
    const quotes = v128.or(
      v128.or(i8x16.eq(a, quote), i8x16.eq(b, quote)),
      v128.or(i8x16.eq(c, quote), i8x16.eq(d, quote)),
    );
    if (v128.any_true(quotes)) break;
    const low = <u64>i8x16.bitmask(i8x16.eq(a, lf)) | (<u64>i8x16.bitmask(i8x16.eq(b, lf)) << 16);
    const high = <u64>i8x16.bitmask(i8x16.eq(c, lf)) | (<u64>i8x16.bitmask(i8x16.eq(d, lf)) << 16);
    const ends = low | (high << 32);
    if (ends != 0) {
      const found = <i32>popcnt(ends);
      if (n + found >= maxRows) break;
      n += found;
      lastEnd = p + 64 - <usize>clz(ends);
    }
    p += 64;
  }
  while (p < to && n < maxRows) {
    const byte = load<u8>(p);
    if (byte == QUOTE) break;
    p++;
    if (byte == LF) {
      n++;
      lastEnd = p;
    }
  }
  rows = n;
  end = lastEnd;
  return p;
}

/**
 * Bytes of the cells in some columns, with their separators, over the complete rows from `from` up to `to`.
 * @param runs number of 32-bit integers from address 0 on, which divide the columns of a row: the number of columns
 * that count, then of those that do not, and so on.
 */
export function countCells(from: usize, to: usize, runs: i32): i32 {
  let bytes: usize = 0;
  let p = from;
  while (p < to) {
    for (let run = 0; run < runs; run++) {
      const end = skipCells(p, to, load<i32>(<usize>run << 2));
      if ((run & 1) == 0) bytes += end - p;
      p = end;
    }
  }
  return <i32>bytes;
}

/** Address after the next `cells` cells and their separators, or after `to`. */
// @ts-ignore: decorator
@inline
function skipCells(from: usize, to: usize, cells: i32): usize {
  if (cells == 0) return from;
  for (let p = from; p < to; p += 16) {
    let ends = findSeparators(p);
    const found = popcnt(ends);
    if (found < cells) cells -= found;
    else {
      while (--cells > 0) ends &= ends - 1;
      return p + ctz(ends) + 1;
    }
  }
  return to;
}

// Counts rows, and finds the first quote.

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

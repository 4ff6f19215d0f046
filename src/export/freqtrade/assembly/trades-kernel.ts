// Computes the columns of freqtrade's trades, and compresses them. Loops process 16 bytes at a time, so up to 15 bytes
// after the end of a column are read and written.
export { compressBlock } from '../../../format/assembly/lz4-kernel';
export { allocate } from '../../../format/assembly/memory';
export { packBooleans } from '../../../format/columns/assembly/encodings';

/** Converts microseconds to milliseconds, 64-bit integers, rounded down. */
export function convertToMilliseconds(times: usize, count: i32, out: usize): void {
  const end = times + (<usize>count << 3);
  for (; times < end; times += 8, out += 8) store<i64>(out, <i64>floor(load<f64>(times) / 1000));
}

/** Multiplies pairs of doubles. */
export function multiply(a: usize, b: usize, count: i32, out: usize): void {
  const end = a + (<usize>count << 3);
  for (; a < end; a += 16, b += 16, out += 16) v128.store(out, f64x2.mul(v128.load(a), v128.load(b)));
}

/** Adds to 32-bit integers. */
export function shift(values: usize, count: i32, by: i32): void {
  const end = values + (<usize>count << 2);
  for (; values < end; values += 16) v128.store(values, i32x4.add(v128.load(values), i32x4.splat(by)));
}

/** Codes of sides; sorted-trades.ts has the same. */
const BUY: u8 = 1;
const SELL: u8 = 2;
const BUY_TEXT: u32 = 0x00_79_75_62;
const SELL_TEXT: u32 = 0x6c_6c_65_73;

/**
 * Writes the texts of sides, and their offsets. Other sides are empty. Returns how many these are.
 * @param texts buffer of `4 * count` bytes.
 */
export function writeSides(sides: usize, count: i32, offsets: usize, texts: usize): i32 {
  let others: i32 = 0;
  let at: i32 = 0;
  store<i32>(offsets, 0);
  for (let row: usize = 0; row < <usize>count; row++) {
    const side = load<u8>(sides + row);
    store<u32>(texts + at, select(SELL_TEXT, BUY_TEXT, side == SELL));
    at += select(4, select(3, 0, side == BUY), side == SELL);
    others += i32(side != BUY && side != SELL);
    store<i32>(offsets + (row << 2), at, 4);
  }
  return others;
}

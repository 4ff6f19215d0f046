import type { ByteWriter } from '../bytes.js';
import { bitWidth, packBits, packWideBits } from './bit-pack.js';

const BLOCK = 128;
const MINIBLOCKS = 4;
const MINIBLOCK = BLOCK / MINIBLOCKS;

const deltas = new Float64Array(BLOCK);
const wide = new Float64Array(MINIBLOCK);
const narrow = new Int32Array(MINIBLOCK);

/** Whether doubles hold integers of this range in zigzag, their differences, and the differences of those exactly. */
export function isDeltaExact(min: number, max: number): boolean {
  return min >= -(2 ** 52) && max <= 2 ** 52 && max - min <= 2 ** 51;
}

/**
 * Integers as differences (format specification, Encodings.md, DELTA_BINARY_PACKED = 5): each block of 128 holds
 * its least difference, and what each difference is above it, packed as tightly as each quarter of the block allows.
 * For integers whose range `isDeltaExact` allows.
 */
export function writeDelta(
  out: ByteWriter,
  values: Float64Array | Int32Array,
  start: number,
  end: number,
): void {
  out.varint(BLOCK);
  out.varint(MINIBLOCKS);
  out.varint(end - start);
  let previous = start < end ? (values[start] as number) : 0;
  out.zigzag(previous);
  for (let block = start + 1; block < end; block += BLOCK) {
    const count = Math.min(BLOCK, end - block);
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < count; i++) {
      const value = values[block + i] as number;
      const delta = value - previous;
      deltas[i] = delta;
      if (delta < least) least = delta;
      previous = value;
    }
    writeBlock(out, count, least);
  }
}

function writeBlock(out: ByteWriter, count: number, least: number): void {
  out.zigzag(least);
  const widths = out.length;
  out.reserve(MINIBLOCKS).fill(0, widths, widths + MINIBLOCKS);
  out.length += MINIBLOCKS;
  for (let i = 0; i * MINIBLOCK < count; i++) {
    const width = writeMiniblock(out, i * MINIBLOCK, Math.min(count, (i + 1) * MINIBLOCK), least);
    out.bytes[widths + i] = width;
  }
}

function writeMiniblock(out: ByteWriter, start: number, end: number, least: number): number {
  let most = 0;
  for (let i = start; i < end; i++) {
    const above = (deltas[i] as number) - least;
    if (above > most) most = above;
  }
  const width = bitWidth(most);
  if (width === 0) return 0;
  const values = width <= 24 ? narrow : wide;
  for (let i = start; i < end; i++) values[i - start] = (deltas[i] as number) - least;
  values.fill(0, end - start);
  if (width <= 24) packBits(out, narrow, 0, MINIBLOCK, width);
  else packWideBits(out, wide, MINIBLOCK, width);
  return width;
}

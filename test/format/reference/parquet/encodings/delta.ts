import type { ByteWriter } from '../../../../../src/format/parquet/byte-writer.js';
import { bitWidth, packBits, packWideBits } from './bit-pack.js';

const BLOCK = 128;
const MINIBLOCKS = 4;
const MINIBLOCK = BLOCK / MINIBLOCKS;

/** Steps below this in magnitude differ by less than 2^31. */
const SMALL_STEP = 2 ** 30;

const narrow = new Int32Array(MINIBLOCK);
const wide = new Float64Array(MINIBLOCK);

/** How far each value is from the one before it; of the first, 0. */
export type Steps = Int32Array | Float64Array;

/** What is to know of times before one chooses how to encode them. */
export interface TimeSurvey {
  /** The least and the greatest value; of none, Infinity and -Infinity. */
  readonly min: number;
  readonly max: number;
  /** How many values are less than the one before them. */
  readonly back: number;
  /** As 32-bit integers where they are small, which is faster by half. */
  readonly steps: Steps;
}

export function surveyTimes(values: Float64Array): TimeSurvey {
  const steps = new Int32Array(values.length);
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let back = 0;
  let isSmall = true;
  let previous = values[0] ?? 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    const step = value - previous;
    steps[i] = step;
    if (value < min) min = value;
    if (value > max) max = value;
    if (step < 0) back++;
    if (step <= -SMALL_STEP || step >= SMALL_STEP) isSmall = false;
    previous = value;
  }
  return { min, max, back, steps: isSmall ? steps : wideSteps(values) };
}

function wideSteps(values: Float64Array): Float64Array {
  return values.map((value, i) => (i === 0 ? 0 : value - (values[i - 1] as number)));
}

/** Whether doubles hold integers of this range in zigzag, their differences, and the differences of those exactly. */
export function isDeltaExact(min: number, max: number): boolean {
  return min >= -(2 ** 52) && max <= 2 ** 52 && max - min <= 2 ** 51;
}

/** Integers from 0 to 2^30 as differences. */
export function writeDeltaIntegers(out: ByteWriter, values: Int32Array, start: number, end: number): void {
  const steps = new Int32Array(end - start);
  for (let i = 1; i < steps.length; i++) {
    steps[i] = (values[start + i] as number) - (values[start + i - 1] as number);
  }
  writeDelta(out, values[start] ?? 0, steps, 0, steps.length);
}

/**
 * Integers as differences (format specification, Encodings.md, DELTA_BINARY_PACKED = 5): each block of 128 holds
 * its least difference, and what each difference is above it, packed as tightly as each quarter of the block allows.
 * For integers whose range `isDeltaExact` allows; `takeFirst` is the one at `start`.
 */
export function writeDelta(out: ByteWriter, first: number, steps: Steps, start: number, end: number): void {
  out.varint(BLOCK);
  out.varint(MINIBLOCKS);
  out.varint(end - start);
  out.zigzag(first);
  for (let block = start + 1; block < end; block += BLOCK) {
    writeBlock(out, steps, block, Math.min(end, block + BLOCK));
  }
}

function writeBlock(out: ByteWriter, steps: Steps, start: number, end: number): void {
  let least = steps[start] as number;
  for (let i = start + 1; i < end; i++) {
    const step = steps[i] as number;
    if (step < least) least = step;
  }
  out.zigzag(least);
  const widths = out.length;
  out.reserve(MINIBLOCKS).fill(0, widths, widths + MINIBLOCKS);
  out.length += MINIBLOCKS;
  for (let i = 0, from = start; from < end; i++, from += MINIBLOCK) {
    const width = writeMiniblock(out, steps, from, Math.min(end, from + MINIBLOCK), least);
    out.bytes[widths + i] = width;
  }
}

function writeMiniblock(out: ByteWriter, steps: Steps, start: number, end: number, least: number): number {
  let most = 0;
  for (let i = start; i < end; i++) {
    const above = (steps[i] as number) - least;
    narrow[i - start] = above;
    if (above > most) most = above;
  }
  const width = bitWidth(most);
  if (width === 0) return 0;
  if (width < 32) {
    narrow.fill(0, end - start);
    packBits(out, narrow, 0, MINIBLOCK, width);
  } else {
    wide.fill(0);
    for (let i = start; i < end; i++) wide[i - start] = (steps[i] as number) - least;
    packWideBits(out, wide, MINIBLOCK, width);
  }
  return width;
}

import type { ByteWriter } from '../../../../../src/format/byte-writer.js';
import { bitWidth, packBits, packWideBits } from './bit-pack.js';

const BLOCK = 128;
const MINIBLOCKS = 4;
const MINIBLOCK = BLOCK / MINIBLOCKS;

/** Steps below this magnitude differ by less than 2^31. */
const SMALL_STEP = 2 ** 30;

const narrow = new Int32Array(MINIBLOCK);
const wide = new Float64Array(MINIBLOCK);

/** Difference of each value and the previous one; 0 for the first. */
export type Steps = Int32Array | Float64Array;

/** Properties of times that determine their encoding. */
export interface TimeSurvey {
  /** Minimum and maximum; Infinity and -Infinity without values. */
  readonly min: number;
  readonly max: number;
  /** Number of values that are less than their predecessor. */
  readonly back: number;
  /** 32-bit integers if they are small, which is twice as fast. */
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

/**
 * Whether doubles represent integers of this range in zigzag, their differences, and the differences of
 * those exactly.
 */
export function isDeltaExact(min: number, max: number): boolean {
  return min >= -(2 ** 52) && max <= 2 ** 52 && max - min <= 2 ** 51;
}

/** Writes integers from 0 to 2^30 as differences. */
export function writeDeltaIntegers(out: ByteWriter, values: Int32Array, start: number, end: number): void {
  const steps = new Int32Array(end - start);
  for (let i = 1; i < steps.length; i++) {
    steps[i] = (values[start + i] as number) - (values[start + i - 1] as number);
  }
  writeDelta(out, values[start] ?? 0, steps, 0, steps.length);
}

/**
 * Writes integers as differences (Encodings.md of the Parquet format, DELTA_BINARY_PACKED = 5): each block of
 * 128 has its minimum difference, and the differences above it, packed with the width that each quarter of
 * the block needs. The range of the integers must satisfy `isDeltaExact`.
 * @param first the value at `start`.
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

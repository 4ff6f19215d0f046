import type { TimedBatch } from '../time-merge.js';
import { createLineTarget, type LineTarget, WORD_BYTES } from './fixed-text.js';

/**
 * Messages as lines, end to end, with what a merge needs of each; plain data. Line i is `bytes` from `ends[i - 1]` (0
 * for the first) up to `ends[i]`, its LF included. Each array may be longer.
 */
export interface TimedLines extends TimedBatch {
  readonly bytes: Uint8Array;
  readonly ends: Int32Array;
}

/** Bytes. Times and ends have room for so long lines, and grow for shorter ones. */
const TYPICAL_LINE_BYTES = 128;

/** Lines to be. The memory grows to what it has to hold once, and is used again. */
export class LineBuffer implements TimedLines {
  target: LineTarget;
  count = 0;
  ends: Int32Array;
  localTimestamps: Float64Array;
  notBefore: number | undefined;
  /** Bytes so far. */
  length = 0;

  /** @param memory bytes to begin with, or lines that nobody needs any more, whose memory is taken. */
  constructor(memory: number | TimedLines = 64 * 1024) {
    if (typeof memory === 'number') {
      this.target = createLineTarget(memory);
      const lines = Math.max(16, Math.floor(memory / TYPICAL_LINE_BYTES));
      this.ends = new Int32Array(lines);
      this.localTimestamps = new Float64Array(lines);
      return;
    }
    const { bytes, ends, localTimestamps } = memory;
    this.target = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) };
    this.ends = ends;
    this.localTimestamps = localTimestamps;
  }

  /** Another array once it grew. */
  get bytes(): Uint8Array {
    return this.target.bytes;
  }

  /** Gives the memory with room for a line of at most `size` bytes at `length`. */
  room(size: number): LineTarget {
    const needed = this.length + size + WORD_BYTES;
    if (needed > this.target.bytes.length) {
      const larger = createLineTarget(Math.max(needed, 2 * this.target.bytes.length));
      larger.bytes.set(this.target.bytes.subarray(0, this.length));
      this.target = larger;
    }
    return this.target;
  }

  /** A line was written up to `endConversion`. */
  add(end: number, localTimestamp: number): void {
    if (this.count === this.ends.length) this.#expect(1);
    this.ends[this.count] = end;
    this.localTimestamps[this.count++] = localTimestamp;
    this.length = end;
  }

  /** Adds lines that were made elsewhere; `ends` are counted from this buffer's first byte. */
  append(bytes: Uint8Array, ends: Int32Array, localTimestamps: Float64Array): void {
    this.room(bytes.length).bytes.set(bytes, this.length);
    if (this.count + ends.length > this.ends.length) this.#expect(ends.length);
    this.ends.set(ends, this.count);
    this.localTimestamps.set(localTimestamps, this.count);
    this.count += ends.length;
    this.length += bytes.length;
  }

  /** Adds a copy of lines `start` up to, not including, `endConversion`. */
  copy({ bytes, ends, localTimestamps }: TimedLines, start: number, end: number): void {
    const from = start === 0 ? 0 : (ends[start - 1] as number);
    const size = (ends[end - 1] as number) - from;
    const moved = this.length - from;
    this.room(size).bytes.set(bytes.subarray(from, from + size), this.length);
    for (let line = start; line < end; line++) {
      this.add((ends[line] as number) + moved, localTimestamps[line] as number);
    }
  }

  clear(): void {
    this.count = 0;
    this.length = 0;
    this.notBefore = undefined;
  }

  /** Gives the memory back where it is more than so many bytes, as after a message of a whole book. */
  shrink(most: number): void {
    if (this.length === 0 && this.target.bytes.length > most) this.target = createLineTarget(most);
  }

  /** Sees to places for so many more lines. */
  #expect(lines: number): void {
    const places = Math.max(2 * this.ends.length, this.count + lines);
    const ends = new Int32Array(places);
    ends.set(this.ends);
    this.ends = ends;
    const times = new Float64Array(places);
    times.set(this.localTimestamps);
    this.localTimestamps = times;
  }
}

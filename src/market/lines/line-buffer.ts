import type { TimedBatch } from '../merge.js';
import { type Target, targetOf, WORD } from './bytes.js';

/**
 * Messages as lines, end to end, with what a merge needs of each. Line i is `bytes` from `ends[i - 1]` (0 for the
 * first) up to `ends[i]`, its LF included. The memory grows to what it has to hold once, and is used again.
 */
export class LineBuffer implements TimedBatch {
  target: Target;
  count = 0;
  ends = new Int32Array(1024);
  localTimestamps = new Float64Array(1024);
  /** Bytes so far. */
  length = 0;

  /** @param size bytes to begin with. */
  constructor(size = 64 * 1024) {
    this.target = targetOf(size);
  }

  /** May be longer than `length`; another array once it grew. */
  get bytes(): Uint8Array {
    return this.target.bytes;
  }

  /** Gives the memory with room for a line of at most `size` bytes at `length`. */
  room(size: number): Target {
    const needed = this.length + size + WORD;
    if (needed > this.target.bytes.length) {
      const larger = targetOf(Math.max(needed, 2 * this.target.bytes.length));
      larger.bytes.set(this.target.bytes.subarray(0, this.length));
      this.target = larger;
    }
    return this.target;
  }

  /** A line was written up to `end`. */
  add(end: number, localTimestamp: number): void {
    if (this.count === this.ends.length) {
      const ends = new Int32Array(2 * this.count);
      ends.set(this.ends);
      this.ends = ends;
      const times = new Float64Array(2 * this.count);
      times.set(this.localTimestamps);
      this.localTimestamps = times;
    }
    this.ends[this.count] = end;
    this.localTimestamps[this.count++] = localTimestamp;
    this.length = end;
  }

  clear(): void {
    this.count = 0;
    this.length = 0;
  }
}

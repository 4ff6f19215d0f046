import { ReaderClosedError } from '../../base/output-sink.js';
import { createLineTarget, type LineTarget, WORD_BYTES } from '../../format/ndjson/write-json.js';
import type { TimedBatch } from '../time-merge.js';

/** Writes lines. Resolves when they are written, so that the writer can wait for a slow reader. */
export interface LineSink {
  write(bytes: Uint8Array): Promise<void>;
}

/** Totals of the written messages and bytes. */
export interface WrittenCounts {
  messages: number;
  bytes: number;
}

const LF = 0x0a;

/**
 * Writes complete lines and counts them after the output has accepted them. If a pipe's reader closes it, the
 * lines that the pipe accepted are counted. An empty line, which marks a disconnect, is not a message.
 * @throws errors of the output.
 */
export async function writeLines(
  output: LineSink,
  bytes: Uint8Array,
  messages: number,
  written: WrittenCounts,
): Promise<void> {
  try {
    await output.write(bytes);
    written.messages += messages;
    written.bytes += bytes.length;
  } catch (error) {
    if (error instanceof ReaderClosedError) countLines(bytes.subarray(0, error.bytes), written);
    throw error;
  }
}

function countLines(bytes: Uint8Array, written: WrittenCounts): void {
  let start = 0;
  for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
    if (end > start) written.messages++;
    start = end + 1;
  }
  written.bytes += start;
}

/**
 * Messages as lines in one buffer, with the data that a merge needs; plain data. Line i is `bytes` from
 * `ends[i - 1]` (0 for the first) up to `ends[i]`, with its LF. Each array may be longer.
 */
export interface TimedLines extends TimedBatch {
  readonly bytes: Uint8Array;
  readonly ends: Int32Array;
}

/** Determines the initial room for times and ends, which grow if lines are shorter. */
const TYPICAL_LINE_BYTES = 128;

/** A growing buffer of lines. Its memory is reused after `clear`. */
export class LineBuffer implements TimedLines {
  target: LineTarget;
  count = 0;
  ends: Int32Array;
  localTimestamps: Float64Array;
  notBefore: number | undefined;
  /** Size of the lines in bytes. */
  length = 0;

  /** @param memory initial size in bytes, or lines that are no longer needed, whose memory is reused. */
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

  /** A different array after the buffer grows. */
  get bytes(): Uint8Array {
    return this.target.bytes;
  }

  /** Ensures room at `length` for a line of at most `size` bytes. */
  room(size: number): LineTarget {
    const needed = this.length + size + WORD_BYTES;
    if (needed > this.target.bytes.length) {
      const larger = createLineTarget(Math.max(needed, 2 * this.target.bytes.length));
      larger.bytes.set(this.target.bytes.subarray(0, this.length));
      this.target = larger;
    }
    return this.target;
  }

  /** Records a line that was written up to `end`. */
  add(end: number, localTimestamp: number): void {
    if (this.count === this.ends.length) this.#reserveLines(1);
    this.ends[this.count] = end;
    this.localTimestamps[this.count++] = localTimestamp;
    this.length = end;
  }

  /** Appends complete lines; `ends` count from this buffer's first byte. */
  append(bytes: Uint8Array, ends: Int32Array, localTimestamps: Float64Array): void {
    this.room(bytes.length).bytes.set(bytes, this.length);
    if (this.count + ends.length > this.ends.length) this.#reserveLines(ends.length);
    this.ends.set(ends, this.count);
    this.localTimestamps.set(localTimestamps, this.count);
    this.count += ends.length;
    this.length += bytes.length;
  }

  clear(): void {
    this.count = 0;
    this.length = 0;
    this.notBefore = undefined;
  }

  /** Frees memory beyond a size if the buffer is empty, for example after a message with a whole book. */
  shrink(maxBytes: number): void {
    if (this.length === 0 && this.target.bytes.length > maxBytes) this.target = createLineTarget(maxBytes);
  }

  /** Ensures room for the ends and times of further lines. */
  #reserveLines(lines: number): void {
    const capacity = Math.max(2 * this.ends.length, this.count + lines);
    const ends = new Int32Array(capacity);
    ends.set(this.ends);
    this.ends = ends;
    const times = new Float64Array(capacity);
    times.set(this.localTimestamps);
    this.localTimestamps = times;
  }
}

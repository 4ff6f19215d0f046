import type { TimedLines } from '../market/lines/line-buffer.js';
import type { LineSink } from '../market/lines/line-sink.js';
import { Merge } from '../market/merge.js';
import type { Period } from '../market/trade-bars.js';
import { fillOrFlush } from './fill-or-flush.js';
import { type Inputs, openInputs } from './inputs.js';
import { createPace, type Pace } from './pace.js';
import type { ReplaySeries } from './types.js';

export type { LineSink };

export interface MergeOptions {
  /** How often faster than real time; undefined for as fast as it goes. */
  readonly speed?: number | undefined;
  readonly output: LineSink;
  /** What was written so far; counted up. */
  readonly written: { messages: number; bytes: number };
  readonly signal: AbortSignal;
}

export interface ReplayInput extends MergeOptions {
  /** In the order that breaks ties. */
  readonly series: readonly ReplaySeries[];
  readonly period: Period;
}

/** Bytes of one write, of lines that come in small pieces. */
const WRITE = 512 * 1024;
/** Lines of one input that follow each other are written as they are from so many bytes on. */
const LONG_RUN = 64 * 1024;

/**
 * Writes the messages of all series, merged by local timestamp.
 * @throws TickhaulError `corrupt`, `unreadable` once all lines before are written, the reason of an abort, and what
 * the output throws.
 */
export async function replay(input: ReplayInput): Promise<void> {
  return mergeLines(await openInputs(input.series, input.period, input.signal), input);
}

/**
 * Writes the lines of inputs, merged by local timestamp, and closes them.
 * @throws what inputs throw, once all lines before are written; the reason of an abort, and what the output throws.
 */
export async function mergeLines(inputs: Inputs, options: MergeOptions): Promise<void> {
  const { speed, output, written, signal } = options;
  const merge = new Merge(inputs.lines);
  const lines = new GatheredLines(output, written);
  const pace = speed === undefined ? undefined : createPace(speed, () => lines.flush(), signal);
  try {
    while (await fill(merge, lines)) {
      while (merge.next()) {
        const { batch, start, end } = merge;
        if (pace) await writePaced(merge, pace, lines);
        else if (!lines.take(batch, start, end)) await lines.write(batch, start, end);
      }
      signal.throwIfAborted();
    }
    await lines.flush();
  } finally {
    await inputs.close();
    await merge.close();
  }
}

/** What is right before a failure is written before it is told. */
async function fill(merge: Merge<TimedLines>, lines: GatheredLines): Promise<boolean> {
  try {
    return await fillOrFlush(merge, () => lines.flush());
  } catch (error) {
    await lines.flush();
    throw error;
  }
}

async function writePaced(
  { batch, start, end }: Merge<TimedLines>,
  pace: Pace,
  lines: GatheredLines,
): Promise<void> {
  for (let at = start; at < end; at++) {
    await pace(batch.localTimestamps[at] ?? 0);
    if (!lines.take(batch, at, at + 1)) await lines.write(batch, at, at + 1);
  }
}

class GatheredLines {
  readonly #output: LineSink;
  readonly #written: { messages: number; bytes: number };
  readonly #bytes = Buffer.allocUnsafeSlow(WRITE);
  #length = 0;
  #messages = 0;

  constructor(output: LineSink, written: { messages: number; bytes: number }) {
    this.#output = output;
    this.#written = written;
  }

  /** Takes a few lines at once; false where they have to be written. */
  take({ bytes, ends }: TimedLines, start: number, end: number): boolean {
    const from = start === 0 ? 0 : (ends[start - 1] as number);
    const to = ends[end - 1] as number;
    if (to - from >= LONG_RUN || this.#length + to - from > WRITE) return false;
    this.#bytes.set(bytes.subarray(from, to), this.#length);
    this.#length += to - from;
    this.#messages += end - start;
    return true;
  }

  /** Makes room by writing, and takes or writes these lines; they may be written over when it resolves. */
  async write(lines: TimedLines, start: number, end: number): Promise<void> {
    await this.flush();
    if (this.take(lines, start, end)) return;
    const { bytes, ends } = lines;
    const from = start === 0 ? 0 : (ends[start - 1] as number);
    const to = ends[end - 1] as number;
    await this.#output.write(bytes.subarray(from, to));
    this.#count(end - start, to - from);
  }

  async flush(): Promise<void> {
    if (this.#length === 0) return;
    await this.#output.write(this.#bytes.subarray(0, this.#length));
    this.#count(this.#messages, this.#length);
    this.#length = 0;
    this.#messages = 0;
  }

  #count(messages: number, bytes: number): void {
    this.#written.messages += messages;
    this.#written.bytes += bytes;
  }
}

import type { LineSink, TimedLines, WrittenCounts } from '../market/lines/line-buffer.js';
import { TimeMerge } from '../market/time-merge.js';
import type { StoreSettings } from '../store/files.js';
import { createPace, fillOrFlush, LineWriter, type Pace } from './line-writer.js';
import {
  createSeriesThreads,
  type MergeInputs,
  openSeriesInputs,
  type SeriesInput,
} from './series-inputs.js';

export interface MergeOptions {
  /** Multiple of real time; undefined for no pacing. */
  readonly speed?: number | undefined;
  /** Bytes of one write; 512 KB by default. */
  readonly writeBytes?: number | undefined;
  readonly output: LineSink;
  readonly written: WrittenCounts;
  readonly signal: AbortSignal;
}

/** Consecutive lines of one input are written without a copy from this size on. */
const MIN_DIRECT_WRITE_BYTES = 64 * 1024;

/**
 * Writes the messages of all series, merged by local timestamp.
 * @throws TickhaulError `corrupt`, `unreadable`, or the reason why a day file is unavailable, after all
 * earlier lines are written; the signal's reason after an abort; what the output throws.
 */
export async function replaySeries(
  input: SeriesInput & MergeOptions & { readonly store?: StoreSettings | undefined },
): Promise<void> {
  const shared = createSeriesThreads(input.store);
  try {
    await mergeLines(await openSeriesInputs(input, shared, input.signal), input);
  } finally {
    await shared.close();
  }
}

/**
 * Writes the lines of inputs, merged by local timestamp, and closes the inputs.
 * @throws what inputs throw, after all earlier lines are written; the signal's reason after an abort; what
 * the output throws.
 */
export async function mergeLines(inputs: MergeInputs, options: MergeOptions): Promise<void> {
  const { speed, writeBytes, output, written, signal } = options;
  const merge = new TimeMerge(inputs.lines);
  const lines = new LineWriter(output, written, writeBytes);
  const pace = speed === undefined ? undefined : createPace(speed, () => lines.flush(), signal);
  try {
    while (await fillOrFlushOnError(merge, lines)) {
      while (merge.next()) {
        const { batch, start, end } = merge;
        if (pace) await writePaced(merge, pace, lines);
        else if (!appendIfRoom(lines, batch, start, end)) await appendOrWrite(lines, batch, start, end);
      }
      signal.throwIfAborted();
    }
    await lines.flush();
  } finally {
    await inputs.close();
    await merge.close();
  }
}

/** Valid lines before a failure are written before the failure is reported. */
async function fillOrFlushOnError(merge: TimeMerge<TimedLines>, lines: LineWriter): Promise<boolean> {
  try {
    return await fillOrFlush(merge, () => lines.flush());
  } catch (error) {
    await lines.flush();
    throw error;
  }
}

async function writePaced(
  { batch, start, end }: TimeMerge<TimedLines>,
  pace: Pace,
  lines: LineWriter,
): Promise<void> {
  for (let at = start; at < end; at++) {
    await pace(batch.localTimestamps[at] ?? 0);
    if (!appendIfRoom(lines, batch, at, at + 1)) await appendOrWrite(lines, batch, at, at + 1);
  }
}

/**
 * Copies lines into the write buffer; returns false if they do not fit or are large enough for a write
 * without a copy.
 */
function appendIfRoom(lines: LineWriter, batch: TimedLines, start: number, end: number): boolean {
  const from = start === 0 ? 0 : (batch.ends[start - 1] as number);
  const size = (batch.ends[end - 1] as number) - from;
  if (size >= MIN_DIRECT_WRITE_BYTES || !lines.fits(size)) return false;
  lines.bytes.set(batch.bytes.subarray(from, from + size), lines.length);
  lines.add(size, end - start);
  return true;
}

/** Flushes the write buffer, then copies or writes these lines. */
async function appendOrWrite(
  lines: LineWriter,
  batch: TimedLines,
  start: number,
  end: number,
): Promise<void> {
  await lines.flush();
  if (appendIfRoom(lines, batch, start, end)) return;
  const from = start === 0 ? 0 : batch.ends[start - 1];
  await lines.write(batch.bytes.subarray(from, batch.ends[end - 1]), end - start);
}

import { parentPort, workerData } from 'node:worker_threads';
import { TickhaulError } from '../../base/errors.js';
import type { FileError } from '../../base/file-error.js';
import { Queue } from '../../base/queue.js';
import { LineBuffer, type TimedLines } from '../../market/lines/line-buffer.js';
import type { Period } from '../../market/trade-bars.js';
import { exchangeOf } from '../handover.js';
import { lineBuffers, makeLines, type SharedReading, shareReading } from '../series-lines.js';
import type { ReadingSizes, ReplaySeries } from '../types.js';
import { transferables } from './transfer.js';

export interface SeriesTask {
  readonly series: readonly ReplaySeries[];
  readonly period: Period;
  readonly sizes: ReadingSizes;
}

/** To the thread of some series: lines that were used, whose memory comes back. */
export interface SeriesOrder {
  readonly series: number;
  readonly used: TimedLines;
}

/** From it, for each series: lines, then its end. Errors are plain data: a TickhaulError loses its fields on the way. */
export type SeriesAnswer =
  | { readonly answer: 'lines'; readonly series: number; readonly lines: TimedLines }
  | { readonly answer: 'end'; readonly series: number }
  | { readonly answer: 'failed'; readonly series: number; readonly error: FileError }
  | { readonly answer: 'bug'; readonly series: number; readonly error: unknown };

const { series: all, period, sizes } = workerData as SeriesTask;
const reading = shareReading(sizes);
const empty = all.map(() => new Queue<LineBuffer>(lineBuffers(sizes)));
// The thread is ended from outside.
const { signal } = new AbortController();

parentPort?.on('message', ({ series, used }: SeriesOrder) => empty[series]?.push(new LineBuffer(used)));
for (const [series, free] of empty.entries()) void run(series, free, reading);

async function run(series: number, free: Queue<LineBuffer>, shared: SharedReading): Promise<void> {
  try {
    const full = { push: (lines: LineBuffer) => give(series, lines) };
    await makeLines(all[series] as ReplaySeries, period, shared, exchangeOf(full, free), signal);
    answer({ answer: 'end', series });
  } catch (error) {
    if (error instanceof TickhaulError) {
      answer({ answer: 'failed', series, error: { code: error.code, message: error.message } });
    } else answer({ answer: 'bug', series, error });
  }
}

function give(series: number, { count, bytes, ends, localTimestamps }: LineBuffer): void {
  const lines = { count, bytes, ends, localTimestamps };
  answer({ answer: 'lines', series, lines }, lines);
}

function answer(message: SeriesAnswer, lines?: TimedLines): void {
  parentPort?.postMessage(message, lines && transferables(lines));
}

import { Worker } from 'node:worker_threads';
import type { TimedLines } from '../../market/lines/line-buffer.js';
import type { StoreSettings } from '../../store/files.js';
import type { SharedReading } from '../series-lines.js';
import { LineThread } from './line-thread.js';
import type { SeriesAnswer, SeriesOrder, SeriesTask, SeriesWorkerData } from './series-worker.js';
import { type JobSide, LIMITS } from './threads.js';

/** A thread for series (`SeriesTask`). @param openFiles at once, whatever the number of series. */
export function startSeriesThread(openFiles: number, store?: StoreSettings | undefined): Worker {
  const workerData: SeriesWorkerData = { openFiles, store };
  return new Worker(new URL('./series-worker.js', import.meta.url), {
    resourceLimits: LIMITS,
    workerData,
  });
}

/** The lines of some series, each at most two buffers ahead. */
export interface SeriesLines {
  /** Those of one series of the task; to be gone through once. A buffer is good until the next is asked for. */
  lines(series: number): AsyncIterable<TimedLines>;
  /** Whoever waits for lines gets an error. */
  close(): void;
}

/** @param job of the task, on its thread. @param arrival of files that the thread waits for. */
export function receiveSeries(
  { series }: SeriesTask,
  job: JobSide,
  { arrival, warn }: Pick<SharedReading, 'arrival' | 'warn'>,
): SeriesLines {
  const { port } = job;
  const thread = new LineThread(job, series.length);
  port.on('message', (answer: SeriesAnswer) => {
    if (answer.answer === 'warning') return warn(answer.message);
    if (answer.answer !== 'waits') return thread.take(answer);
    const { at, path } = answer;
    arrival(path).then(
      (isThere) => port.postMessage({ order: 'arrived', at, isThere } satisfies SeriesOrder),
      (error: unknown) => thread.fail(at, error),
    );
  });
  return { lines: (at) => thread.lines(at), close: () => job.close() };
}

import { WorkerThread } from '../../base/worker-thread.js';
import type { TimedLines } from '../../market/lines/line-buffer.js';
import type { StoreSettings } from '../../store/files.js';
import type { SharedReading } from '../write-series-lines.js';
import { LineThread, type PortJob, type ReplayThreads, THREAD_LIMITS } from './line-thread.js';
import type { SeriesCommand, SeriesTask, SeriesThreadMessage, SeriesWorkerData } from './series-worker.js';

/** Starts a thread that runs `SeriesTask`s. @param maxOpenFiles maximum number of open files in the thread. */
export function startSeriesThread(
  maxOpenFiles: number,
  store?: StoreSettings | undefined,
): WorkerThread<PortJob<SeriesTask>> {
  const workerData: SeriesWorkerData = { maxOpenFiles, store };
  return new WorkerThread(new URL('./series-worker.js', import.meta.url), {
    name: 'day file replay',
    resourceLimits: THREAD_LIMITS,
    workerData,
  });
}

/** The lines of some series; each series works at most two buffers ahead. */
export interface SeriesLines {
  /**
   * The lines of one series of the task; can be iterated once. A buffer is valid until the next one is
   * requested.
   */
  lines(series: number): AsyncIterable<TimedLines>;
  /** Ends the job; pending reads of lines fail. */
  close(): void;
}

/** Starts a job. @param arrival waits for files on behalf of the thread. */
export function readSeriesInThread(
  threads: ReplayThreads<SeriesTask>,
  task: SeriesTask,
  { arrival, warn }: Pick<SharedReading, 'arrival' | 'warn'>,
): SeriesLines {
  const thread = new LineThread(threads, task, task.series.length);
  const { port } = thread;
  port.on('message', (message: SeriesThreadMessage) => {
    if (message.type === 'warning') return warn(message.message);
    if (message.type !== 'waits') return thread.handleMessage(message);
    const { input, path } = message;
    arrival(path).then(
      (isThere) => port.postMessage({ type: 'arrived', input, isThere } satisfies SeriesCommand),
      (error: unknown) => thread.fail(input, error),
    );
  });
  return { lines: (input) => thread.lines(input), close: () => thread.close() };
}

import { once, setMaxListeners } from 'node:events';
import { workerData } from 'node:worker_threads';
import { AsyncQueue } from '../../base/async-queue.js';
import { Semaphore } from '../../base/semaphore.js';
import { serveJobs } from '../../base/serve-jobs.js';
import { createLineMemories } from '../../market/day-file/text-lines.js';
import { LineBuffer } from '../../market/lines/line-buffer.js';
import type { StoreSettings } from '../../store/files.js';
import { openFiles } from '../../store/open-files.js';
import type { SwapBuffer } from '../handover.js';
import type { ReplaySeries } from '../replay-request.js';
import { createLineBuffers, createSharedReading, writeSeriesLines } from '../write-series-lines.js';
import type { PortJob } from './line-thread.js';
import { type LinesMessage, sendLines, type UsedLines } from './send-lines.js';

/** Start data of a thread. */
export interface SeriesWorkerData {
  /** Maximum number of open files, for all series together. */
  readonly maxOpenFiles: number;
  readonly store: StoreSettings | undefined;
}

/** A job: some series of a replay. */
export interface SeriesTask {
  readonly series: readonly ReplaySeries[];
  /** Maximum bytes of text read from a file at a time; also of gzip. */
  readonly textChunk: number;
  /** As in `GzipReadOptions`. */
  readonly inflateThreads?: number | undefined;
}

/** Messages to the thread: lines to reuse, the arrival of a file that a series waits for. */
export type SeriesCommand =
  | UsedLines
  | { readonly type: 'arrived'; readonly input: number; readonly isThere: boolean };

/** Messages from the thread: lines of a series, a file that a series waits for, a warning. */
export type SeriesThreadMessage =
  | LinesMessage
  | { readonly type: 'waits'; readonly input: number; readonly path: string }
  | { readonly type: 'warning'; readonly message: string };

const { maxOpenFiles, store } = workerData as SeriesWorkerData;
const open = new Semaphore(maxOpenFiles);
const files = openFiles(store);
const memories = createLineMemories();

serveJobs(async ({ task: { series: all, ...reads }, port }: PortJob<SeriesTask>): Promise<void> => {
  const stop = new AbortController();
  // Each series adds a listener, so a large number of them is not a leak.
  setMaxListeners(0, stop.signal);
  const free = all.map(() => new AsyncQueue<LineBuffer>(createLineBuffers(reads.textChunk)));
  /** By series: each one waits for one file at a time, and two may wait for the same file. */
  const waiting = new Map<number, (isThere: boolean) => void>();
  port.on('message', (command: SeriesCommand) => {
    if (command.type === 'used') free[command.input]?.push(new LineBuffer(command.lines));
    else waiting.get(command.input)?.(command.isThere);
  });
  for (const [input, series] of all.entries()) {
    const arrival = (path: string): Promise<boolean> =>
      new Promise((resolve) => {
        waiting.set(input, resolve);
        port.postMessage({ type: 'waits', input, path } satisfies SeriesThreadMessage);
      });
    const warn = (message: string): void =>
      port.postMessage({ type: 'warning', message } satisfies SeriesThreadMessage);
    const reading = createSharedReading({ ...reads, open, files, arrival, warn, memories });
    const write = (swap: SwapBuffer<LineBuffer>): Promise<void> =>
      writeSeriesLines(series, reading, swap, stop.signal);
    void sendLines({ port, input, free: free[input] ?? new AsyncQueue(), write });
  }
  // The main thread no longer reads.
  await once(port, 'close');
  stop.abort();
  for (const buffers of free) buffers.end();
});

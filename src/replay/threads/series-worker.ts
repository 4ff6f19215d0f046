import { setMaxListeners } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { TickhaulError } from '../../base/errors.js';
import type { FileError } from '../../base/file-error.js';
import { Queue } from '../../base/queue.js';
import { createLineMemories } from '../../market/day-file/text-lines.js';
import { LineBuffer, type TimedLines } from '../../market/lines/line-buffer.js';
import { exchangeOf } from '../handover.js';
import { limitOpenFiles } from '../read-in-turns.js';
import { lineBuffers, makeLines, shareReading } from '../series-lines.js';
import type { ReplaySeries } from '../types.js';
import type { Job } from './threads.js';
import { transferables } from './transfer.js';

/** Some series of a replay. */
export interface SeriesTask {
  readonly series: readonly ReplaySeries[];
  /** Bytes of text that come of a file at once, at most; of gzip too. */
  readonly textChunk: number;
}

/** To the thread of some series: lines that were used, whose memory comes back; a file that it waits for. */
export type SeriesOrder =
  | { readonly order: 'used'; readonly series: number; readonly lines: TimedLines }
  | { readonly order: 'arrived'; readonly path: string; readonly isThere: boolean };

/**
 * From it, for each series: lines, which file it waits for, and its end. Errors are plain data: a TickhaulError loses its
 * fields on the way.
 */
export type SeriesAnswer =
  | { readonly answer: 'lines'; readonly series: number; readonly lines: TimedLines }
  | { readonly answer: 'waits'; readonly series: number; readonly path: string }
  | { readonly answer: 'end'; readonly series: number }
  | { readonly answer: 'failed'; readonly series: number; readonly error: FileError }
  | { readonly answer: 'bug'; readonly series: number; readonly error: unknown };

const files = limitOpenFiles(workerData as number);
const memories = createLineMemories();

parentPort?.on('message', begin);

function begin({ task: { series: all, textChunk }, port }: Job<SeriesTask>): void {
  const stop = new AbortController();
  // Each series listens to it, and that is no leak.
  setMaxListeners(0, stop.signal);
  const empty = all.map(() => new Queue<LineBuffer>(lineBuffers(textChunk)));
  const waiting = new Map<string, (isThere: boolean) => void>();
  const answer = (message: SeriesAnswer, lines?: TimedLines): void => {
    port.postMessage(message, lines && transferables(lines));
  };
  const run = async (at: number, series: ReplaySeries, free: Queue<LineBuffer>): Promise<void> => {
    const push = ({ count, bytes, ends, localTimestamps, notBefore }: LineBuffer): void => {
      const lines = { count, bytes, ends, localTimestamps, notBefore };
      answer({ answer: 'lines', series: at, lines }, lines);
    };
    const arrival = (path: string): Promise<boolean> =>
      new Promise((resolve) => {
        waiting.set(path, resolve);
        answer({ answer: 'waits', series: at, path });
      });
    try {
      const reading = shareReading({ files, textChunk, arrival, memories });
      await makeLines(series, reading, exchangeOf({ push }, free), stop.signal);
      answer({ answer: 'end', series: at });
    } catch (error) {
      if (error instanceof TickhaulError) {
        answer({ answer: 'failed', series: at, error: { code: error.code, message: error.message } });
      } else answer({ answer: 'bug', series: at, error });
    }
  };
  port.on('message', (order: SeriesOrder) => {
    if (order.order === 'used') empty[order.series]?.push(new LineBuffer(order.lines));
    else waiting.get(order.path)?.(order.isThere);
  });
  // Nobody reads on.
  port.on('close', () => {
    stop.abort();
    for (const free of empty) free.end();
  });
  for (const [at, series] of all.entries()) void run(at, series, empty[at] ?? new Queue());
}

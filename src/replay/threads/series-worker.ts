import { setMaxListeners } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { Queue } from '../../base/queue.js';
import { createLineMemories } from '../../market/day-file/text-lines.js';
import { LineBuffer } from '../../market/lines/line-buffer.js';
import type { StoreSettings } from '../../store/files.js';
import { openFiles } from '../../store/open-files.js';
import type { Exchange } from '../handover.js';
import { limitOpenFiles } from '../read-in-turns.js';
import { lineBuffers, makeLines, shareReading } from '../series-lines.js';
import type { ReplaySeries } from '../types.js';
import { giveLines, type LinesAnswer, type UsedLines } from './give-lines.js';
import type { Job } from './threads.js';

/** What a thread begins with. */
export interface SeriesWorkerData {
  /** At once, whatever the number of series. */
  readonly openFiles: number;
  readonly store: StoreSettings | undefined;
}

/** Some series of a replay. */
export interface SeriesTask {
  readonly series: readonly ReplaySeries[];
  /** Bytes of text that come of a file at once, at most; of gzip too. */
  readonly textChunk: number;
}

/** To the thread of some series: lines that were used; a file that it waits for. */
export type SeriesOrder =
  | UsedLines
  | { readonly order: 'arrived'; readonly at: number; readonly isThere: boolean };

/** From it, for each series: what it made, which file it waits for, and what it warns of. */
export type SeriesAnswer =
  | LinesAnswer
  | { readonly answer: 'waits'; readonly at: number; readonly path: string }
  | { readonly answer: 'warning'; readonly message: string };

const { openFiles: most, store } = workerData as SeriesWorkerData;
const open = limitOpenFiles(most);
const files = openFiles(store);
const memories = createLineMemories();

parentPort?.on('message', begin);

function begin({ task: { series: all, textChunk }, port }: Job<SeriesTask>): void {
  const stop = new AbortController();
  // Each series listens to it, and that is no leak.
  setMaxListeners(0, stop.signal);
  const empty = all.map(() => new Queue<LineBuffer>(lineBuffers(textChunk)));
  /** By series: each waits for one file at a time, and two may wait for the same. */
  const waiting = new Map<number, (isThere: boolean) => void>();
  port.on('message', (order: SeriesOrder) => {
    if (order.order === 'used') empty[order.at]?.push(new LineBuffer(order.lines));
    else waiting.get(order.at)?.(order.isThere);
  });
  // Nobody reads on.
  port.on('close', () => {
    stop.abort();
    for (const free of empty) free.end();
  });
  for (const [at, series] of all.entries()) {
    const arrival = (path: string): Promise<boolean> =>
      new Promise((resolve) => {
        waiting.set(at, resolve);
        port.postMessage({ answer: 'waits', at, path } satisfies SeriesAnswer);
      });
    const warn = (message: string): void =>
      port.postMessage({ answer: 'warning', message } satisfies SeriesAnswer);
    const reading = shareReading({ open, files, textChunk, arrival, warn, memories });
    const make = (exchange: Exchange<LineBuffer>): Promise<void> =>
      makeLines(series, reading, exchange, stop.signal);
    void giveLines({ port, at, free: empty[at] ?? new Queue(), make });
  }
}

import { setMaxListeners } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { TickhaulError } from '../../base/errors.js';
import type { FileError } from '../../base/file-error.js';
import { Queue } from '../../base/queue.js';
import { createLineMemories } from '../../market/day-file/text-lines.js';
import { LineBuffer, type TimedLines } from '../../market/lines/line-buffer.js';
import { exchangeOf } from '../handover.js';
import { limitOpenFiles } from '../read-in-turns.js';
import { lineBuffers, makeLines, type SharedReading, shareReading } from '../series-lines.js';
import type { ReplaySeries } from '../types.js';
import { transferables } from './transfer.js';

/** To the thread, for each task: its series; lines that were used, whose memory comes back; files that it waits for. */
export type SeriesOrder =
  | {
      readonly order: 'open';
      readonly task: number;
      readonly series: readonly ReplaySeries[];
      readonly textChunk: number;
    }
  | { readonly order: 'used'; readonly task: number; readonly series: number; readonly lines: TimedLines }
  | { readonly order: 'arrived'; readonly task: number; readonly path: string; readonly isThere: boolean }
  | { readonly order: 'close'; readonly task: number };

/**
 * From it, for each series of a task: lines, which file it waits for, and its end. Errors are plain data: a TickhaulError
 * loses its fields on the way.
 */
export type SeriesAnswer = { readonly task: number; readonly series: number } & (
  | { readonly answer: 'lines'; readonly lines: TimedLines }
  | { readonly answer: 'waits'; readonly path: string }
  | { readonly answer: 'end' }
  | { readonly answer: 'failed'; readonly error: FileError }
  | { readonly answer: 'bug'; readonly error: unknown }
);

interface Task {
  readonly stop: AbortController;
  /** Of each series, the buffers that nobody needs. */
  readonly free: readonly Queue<LineBuffer>[];
  readonly waiting: Map<string, (isThere: boolean) => void>;
}

const files = limitOpenFiles(workerData as number);
const memories = createLineMemories();
const tasks = new Map<number, Task>();

parentPort?.on('message', (order: SeriesOrder) => {
  if (order.order === 'open') return open(order.task, order.series, order.textChunk);
  const task = tasks.get(order.task);
  if (!task) return;
  if (order.order === 'used') task.free[order.series]?.push(new LineBuffer(order.lines));
  else if (order.order === 'arrived') task.waiting.get(order.path)?.(order.isThere);
  else close(order.task, task);
});

function open(number: number, all: readonly ReplaySeries[], textChunk: number): void {
  const free = all.map(() => new Queue(lineBuffers(textChunk)));
  const task: Task = { stop: new AbortController(), free, waiting: new Map() };
  tasks.set(number, task);
  // Each series listens to it, and that is no leak.
  setMaxListeners(0, task.stop.signal);
  for (const [at, series] of all.entries()) {
    const arrival = (path: string): Promise<boolean> =>
      new Promise((resolve) => {
        task.waiting.set(path, resolve);
        parentPort?.postMessage({ task: number, series: at, answer: 'waits', path } satisfies SeriesAnswer);
      });
    void run(number, task, at, series, shareReading({ files, textChunk, arrival, memories }));
  }
}

/** Each series ends at its next step. */
function close(number: number, { stop, free }: Task): void {
  tasks.delete(number);
  stop.abort();
  for (const queue of free) queue.end();
}

async function run(
  task: number,
  { stop, free }: Task,
  at: number,
  series: ReplaySeries,
  reading: SharedReading,
): Promise<void> {
  const own = { task, series: at };
  const answer = (message: SeriesAnswer, lines?: TimedLines): void => {
    parentPort?.postMessage(message, lines && transferables(lines));
  };
  const push = ({ count, bytes, ends, localTimestamps, notBefore }: LineBuffer): void => {
    const lines = { count, bytes, ends, localTimestamps, notBefore };
    answer({ ...own, answer: 'lines', lines }, lines);
  };
  try {
    await makeLines(series, reading, exchangeOf({ push }, free[at] as Queue<LineBuffer>), stop.signal);
    answer({ ...own, answer: 'end' });
  } catch (error) {
    if (stop.signal.aborted) return;
    if (error instanceof TickhaulError) {
      answer({ ...own, answer: 'failed', error: { code: error.code, message: error.message } });
    } else answer({ ...own, answer: 'bug', error });
  }
}

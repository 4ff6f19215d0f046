import { Worker } from 'node:worker_threads';
import { TickhaulError } from '../../base/errors.js';
import { Queue } from '../../base/queue.js';
import type { TimedLines } from '../../market/lines/line-buffer.js';
import type { Arrival, ReplaySeries } from '../types.js';
import type { SeriesAnswer, SeriesOrder } from './series-worker.js';
import type { OpenTask, Thread } from './threads.js';
import { transferables } from './transfer.js';

/** V8 lets 48 MB of young objects come together in each thread; these die at once, and fewer cost no time. */
const LIMITS = { maxYoungGenerationSizeMb: 12 };

/** Some series of a replay. */
export interface SeriesTask {
  readonly series: readonly ReplaySeries[];
  readonly textChunk: number;
  readonly arrival: Arrival;
}

/** The lines of some series, each at most two buffers ahead. */
export interface SeriesLines extends OpenTask {
  /** Those of one series of the task; to be gone through once. A buffer is good until the next is asked for. */
  lines(series: number): AsyncIterable<TimedLines>;
}

interface Underway {
  readonly queues: readonly Queue<TimedLines>[];
  readonly arrival: Arrival;
}

/** A thread that makes the lines of series. @param openFiles of it at once, whatever the number of series. */
export function startSeriesThread(openFiles: number): Thread<SeriesTask, SeriesLines> {
  const worker = new Worker(new URL('./series-worker.js', import.meta.url), {
    resourceLimits: LIMITS,
    workerData: openFiles,
  });
  const tasks = new Map<number, Underway>();
  let opened = 0;
  const order = (message: SeriesOrder): void => worker.postMessage(message);
  const endAll = (error: unknown): void => {
    for (const { queues } of tasks.values()) for (const queue of queues) queue.end(error);
    tasks.clear();
  };
  worker.on('message', (answer: SeriesAnswer) => {
    const { task, series } = answer;
    const { queues = [], arrival } = tasks.get(task) ?? {};
    const queue = queues[series];
    if (answer.answer === 'lines') queue?.push(answer.lines);
    else if (answer.answer === 'end') queue?.end();
    else if (answer.answer === 'failed')
      queue?.end(new TickhaulError(answer.error.code, answer.error.message));
    else if (answer.answer === 'bug') queue?.end(answer.error);
    else {
      const { path } = answer;
      arrival?.(path).then(
        (isThere) => order({ order: 'arrived', task, path, isThere }),
        (error: unknown) => queue?.end(error),
      );
    }
  });
  worker.on('error', endAll);
  const ended = new Promise<void>((resolve) => {
    worker.on('exit', () => {
      endAll(new Error('the thread of some series ended'));
      resolve();
    });
  });
  return {
    ended,
    open({ series, textChunk, arrival }) {
      const task = opened++;
      const queues = series.map(() => new Queue<TimedLines>());
      tasks.set(task, { queues, arrival });
      order({ order: 'open', task, series, textChunk });
      return {
        async *lines(at) {
          const queue = queues[at] ?? new Queue();
          for (let lines = await queue.next(); lines !== undefined; lines = await queue.next()) {
            yield lines;
            const used: SeriesOrder = { order: 'used', task, series: at, lines };
            worker.postMessage(used, transferables(lines));
          }
        },
        async close() {
          const brokenOff = new TickhaulError('interrupted', 'the replay was broken off');
          for (const queue of queues) queue.end(brokenOff);
          if (tasks.delete(task)) order({ order: 'close', task });
        },
      };
    },
    close() {
      endAll(new TickhaulError('interrupted', 'the replay was broken off'));
      return worker.terminate();
    },
  };
}

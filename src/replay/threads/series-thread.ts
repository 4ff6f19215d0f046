import { Worker } from 'node:worker_threads';
import { TickhaulError } from '../../base/errors.js';
import { Queue } from '../../base/queue.js';
import type { TimedLines } from '../../market/lines/line-buffer.js';
import type { SeriesAnswer, SeriesOrder, SeriesTask } from './series-worker.js';
import { transferables } from './transfer.js';

/** V8 lets 48 MB of young objects come together in each thread; these die at once, and fewer cost no time. */
const LIMITS = { maxYoungGenerationSizeMb: 12 };

/** A thread that makes the lines of some series, each at most two buffers ahead. */
export interface SeriesThread {
  /** Those of one series of the task; to be gone through once. A buffer is good until the next is asked for. */
  lines(series: number): AsyncIterable<TimedLines>;
  /** Whoever waits for lines gets an error. */
  close(): Promise<void>;
}

export function startSeriesThread(task: SeriesTask): SeriesThread {
  const worker = new Worker(new URL('./series-worker.js', import.meta.url), {
    resourceLimits: LIMITS,
    workerData: task,
  });
  const queues = task.series.map(() => new Queue<TimedLines>());
  const endAll = (error: unknown): void => {
    for (const queue of queues) queue.end(error);
  };
  worker.on('message', (answer: SeriesAnswer) => {
    const queue = queues[answer.series];
    if (answer.answer === 'lines') queue?.push(answer.lines);
    else if (answer.answer === 'end') queue?.end();
    else if (answer.answer === 'failed')
      queue?.end(new TickhaulError(answer.error.code, answer.error.message));
    else queue?.end(answer.error);
  });
  worker.on('error', endAll);
  worker.on('exit', () => endAll(new Error('the thread of some series ended')));
  return {
    lines: (series) => receive(worker, series, queues[series] ?? new Queue()),
    close: async () => {
      endAll(new TickhaulError('interrupted', 'the replay was broken off'));
      await worker.terminate();
    },
  };
}

async function* receive(
  worker: Worker,
  series: number,
  queue: Queue<TimedLines>,
): AsyncGenerator<TimedLines, void, undefined> {
  for (let lines = await queue.next(); lines !== undefined; lines = await queue.next()) {
    yield lines;
    const order: SeriesOrder = { series, used: lines };
    worker.postMessage(order, transferables(lines));
  }
}

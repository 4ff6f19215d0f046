import { Worker } from 'node:worker_threads';
import { TickhaulError } from '../../base/errors.js';
import { Queue } from '../../base/queue.js';
import type { TimedLines } from '../../market/lines/line-buffer.js';
import type { Arrival } from '../types.js';
import type { SeriesAnswer, SeriesOrder, SeriesTask } from './series-worker.js';
import type { JobSide } from './threads.js';
import { transferables } from './transfer.js';

/** V8 lets 48 MB of young objects come together in each thread; these die at once, and fewer cost no time. */
const LIMITS = { maxYoungGenerationSizeMb: 12 };

/** A thread for series (`SeriesTask`). @param openFiles at once, whatever the number of series. */
export function startSeriesThread(openFiles: number): Worker {
  return new Worker(new URL('./series-worker.js', import.meta.url), {
    resourceLimits: LIMITS,
    workerData: openFiles,
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
export function receiveSeries({ series }: SeriesTask, job: JobSide, arrival: Arrival): SeriesLines {
  const { port } = job;
  const queues = series.map(() => new Queue<TimedLines>());
  job.onEnd((error) => {
    for (const queue of queues) queue.end(error);
  });
  port.on('message', (answer: SeriesAnswer) => {
    const queue = queues[answer.series];
    if (answer.answer === 'lines') queue?.push(answer.lines);
    else if (answer.answer === 'end') queue?.end();
    else if (answer.answer === 'failed')
      queue?.end(new TickhaulError(answer.error.code, answer.error.message));
    else if (answer.answer === 'bug') queue?.end(answer.error);
    else {
      const { path } = answer;
      arrival(path).then(
        (isThere) => port.postMessage({ order: 'arrived', path, isThere } satisfies SeriesOrder),
        (error: unknown) => queue?.end(error),
      );
    }
  });
  return {
    async *lines(at) {
      const queue = queues[at] ?? new Queue();
      for (let lines = await queue.next(); lines !== undefined; lines = await queue.next()) {
        yield lines;
        const used: SeriesOrder = { order: 'used', series: at, lines };
        port.postMessage(used, transferables(lines));
      }
    },
    close: () => job.close(),
  };
}

import { Worker } from 'node:worker_threads';
import type { LinesAnswer } from './give-lines.js';
import { LineThread } from './line-thread.js';
import type { SeriesTask } from './series-worker.js';

/** V8 lets 48 MB of young objects come together in each thread; these die at once, and fewer cost no time. */
const LIMITS = { maxYoungGenerationSizeMb: 12 };

/** A thread that makes the lines of some series, each at most two buffers ahead. */
export function startSeriesThread(task: SeriesTask): LineThread {
  const worker = new Worker(new URL('./series-worker.js', import.meta.url), {
    resourceLimits: LIMITS,
    workerData: task,
  });
  const thread = new LineThread(worker, task.series.length);
  worker.on('message', (answer: LinesAnswer) => thread.take(answer));
  return thread;
}

import { keepThreads, type RunTask } from '../base/thread-pool.js';
import { WorkerThread } from '../base/worker-thread.js';
import type { StoreSettings } from '../store/files.js';
import type { ComputedContent, ComputeJob, ComputeRows } from './computed/computed-conversion.js';
import type { ConvertFileResult } from './convert-file.js';
import type { ConvertEvent, ConvertedBytes, ConvertJob } from './convert-job.js';

const threads = keepThreads<
  StoreSettings | undefined,
  ConvertJob | ComputeJob,
  readonly ConvertFileResult[] | ComputedContent,
  ConvertEvent
>(
  (workerData) =>
    new WorkerThread(new URL('./file-worker.js', import.meta.url), { name: 'convert', workerData }),
);

/** Runs conversions in threads, which the process keeps. */
export function convertInThread(
  store: StoreSettings | undefined,
): RunTask<ConvertJob, readonly ConvertFileResult[], ConvertedBytes> {
  return (job, { onEvent, ...options }) =>
    threads(store).run(job, {
      ...options,
      onEvent: (event) => onEvent?.(event as ConvertedBytes),
    }) as Promise<readonly ConvertFileResult[]>;
}

/** Computes rows in the same threads. */
export function computeInThread(store: StoreSettings | undefined): ComputeRows {
  return (job, { onRows, onBytes, signal }) =>
    threads(store).run(job, {
      signal,
      onEvent: (event) => (event instanceof Uint8Array ? onRows(event) : onBytes(event[0])),
    }) as Promise<ComputedContent>;
}

import { ThreadPool } from '../base/thread-pool.js';
import { WorkerThread } from '../base/worker-thread.js';
import type { SharedFiles } from '../rows/read-source-rows.js';
import type { StoreSettings } from '../store/files.js';
import type { ExportedBytes } from './export-worker.js';
import { type ExportJobResult, type PlacedExportJob, runExportJob } from './run-export-job.js';

/** Runs jobs in threads, or in the calling one. */
export interface JobRunner {
  /** Resolves and throws as `runExportJob` does. */
  run(
    job: PlacedExportJob,
    onBytes: (count: number, total: number) => void,
    signal: AbortSignal,
  ): Promise<ExportJobResult>;
  close(): Promise<void>;
}

/** Runs up to `maxThreads` jobs at the same time, each in its own thread. */
export function createThreadRunner(maxThreads: number, store: StoreSettings | undefined): JobRunner {
  const pool = new ThreadPool<PlacedExportJob, ExportJobResult, ExportedBytes>({
    maxThreads,
    startThread: () =>
      new WorkerThread(new URL('./export-worker.js', import.meta.url), { name: 'export', workerData: store }),
  });
  return {
    run: (job, onBytes, signal) => pool.run(job, { onEvent: (bytes) => onBytes(...bytes), signal }),
    close: () => pool.close(),
  };
}

/** Runs jobs in this thread; a single one takes less time than a thread's start. */
export function createInlineRunner(files: SharedFiles): JobRunner {
  return {
    run: (job, onBytes, signal) => runExportJob(job, files, onBytes, signal),
    close: async () => {},
  };
}

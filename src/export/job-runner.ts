import { TickhaulError } from '../base/errors.js';
import { toFileError } from '../base/file-error.js';
import { ThreadPool } from '../base/thread-pool.js';
import { WorkerThread } from '../base/worker-thread.js';
import type { FilesWithSettings } from '../rows/read-rows.js';
import type { StoreSettings } from '../store/files.js';
import type { ExportJobEvent } from './export-worker.js';
import {
  type ExportJobResult,
  type JobListener,
  type PlacedExportJob,
  runExportJob,
} from './run-export-job.js';

/** Runs jobs in threads, or in the calling one. */
export interface JobRunner {
  /** Resolves and throws as `runExportJob` does. */
  run(job: PlacedExportJob, listener: JobListener, signal: AbortSignal): Promise<ExportJobResult>;
  close(): Promise<void>;
}

/** Runs up to `maxThreads` jobs at the same time, each in its own thread. */
export function createThreadRunner(maxThreads: number, store: StoreSettings | undefined): JobRunner {
  const pool = new ThreadPool<PlacedExportJob, ExportJobResult, ExportJobEvent>({
    maxThreads,
    startThread: () =>
      new WorkerThread(new URL('./export-worker.js', import.meta.url), { name: 'export', workerData: store }),
  });
  return {
    run: (job, listener, signal) =>
      pool.run(job, { onEvent: (event) => void passEvent(event, listener), signal }),
    close: () => pool.close(),
  };
}

/** Runs jobs in this thread; others read large files. */
export function createInlineRunner(files: FilesWithSettings): JobRunner {
  return {
    run: (job, listener, signal) => runExportJob(job, files, listener, signal),
    close: async () => {},
  };
}

async function passEvent(event: ExportJobEvent, listener: JobListener): Promise<void> {
  if ('bytes' in event) return listener.onBytes(...event.bytes);
  const answer = await listener
    .claim(event.claimed)
    .catch((error: unknown) =>
      toFileError(error instanceof TickhaulError ? error : new TickhaulError('bug', String(error))),
    );
  event.port.postMessage(answer);
}

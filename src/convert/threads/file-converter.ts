import { ThreadPool } from '../../base/thread-pool.js';
import { WorkerThread } from '../../base/worker-thread.js';
import type { Files, StoreSettings } from '../../store/files.js';
import { clearEncoderCache } from '../computed/encoder-cache.js';
import type { ConvertFileResult } from '../convert-file.js';
import { type ConvertJob, runConvertJob } from '../convert-job.js';
import type { ConvertedBytes } from './file-worker.js';
import { clearKernels } from './local-kernel.js';

/** Converts files in threads, or in the calling one. */
export interface FileConverter {
  /** Resolves and throws as `runConvertJob` does. */
  convert(
    job: ConvertJob,
    onBytes: (count: number, total: number) => void,
    signal: AbortSignal,
  ): Promise<readonly ConvertFileResult[]>;
  close(): Promise<void>;
}

/** Converts up to `maxThreads` files at the same time, each in its own thread. */
export function createThreadConverter(maxThreads: number, store: StoreSettings | undefined): FileConverter {
  const pool = new ThreadPool<ConvertJob, readonly ConvertFileResult[], ConvertedBytes>({
    maxThreads,
    startThread: () =>
      new WorkerThread(new URL('./file-worker.js', import.meta.url), { name: 'convert', workerData: store }),
  });
  return {
    convert: (job, onBytes, signal) => pool.run(job, { onEvent: (bytes) => onBytes(...bytes), signal }),
    close: () => pool.close(),
  };
}

/** Converts in this thread. Long work runs in kernel threads or in small steps. */
export function createInlineConverter(files: Files): FileConverter {
  return {
    convert: (job, onBytes, signal) => runConvertJob(job, files, onBytes, signal),
    close: async () => {
      clearKernels();
      clearEncoderCache();
    },
  };
}

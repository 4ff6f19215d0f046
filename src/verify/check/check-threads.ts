import { ThreadPool } from '../../base/thread-pool.js';
import { WorkerThread } from '../../base/worker-thread.js';
import type { StoreSettings } from '../../store/files.js';
import type { CheckRequest, CheckResult } from '../file-check.js';
import type { CheckedBytes } from './check-worker.js';

/** Threads that inspect files. */
export interface CheckThreads {
  /**
   * Inspects files one after the other in one thread; calls may overlap.
   * @param onBytes called for bytes of the file at an index.
   */
  inspect(
    requests: readonly CheckRequest[],
    onBytes: (index: number, count: number) => void,
  ): Promise<readonly CheckResult[]>;
  /** Terminates the threads. Inspections in progress fail. */
  close(): Promise<void>;
}

/**
 * @param store settings with which the threads access an object store.
 * @param early number of threads to start before the first inspection.
 */
export function createCheckThreads(maxThreads: number, store: StoreSettings, early = 0): CheckThreads {
  const pool = new ThreadPool<readonly CheckRequest[], readonly CheckResult[], CheckedBytes>({
    maxThreads,
    startThread: () =>
      new WorkerThread(new URL('./check-worker.js', import.meta.url), { name: 'check', workerData: store }),
  });
  pool.start(early);
  return {
    inspect: (requests, onBytes) => pool.run(requests, { onEvent: (bytes) => onBytes(...bytes) }),
    close: () => pool.close(),
  };
}

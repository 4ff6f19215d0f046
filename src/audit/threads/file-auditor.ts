import { ThreadPool } from '../../base/thread-pool.js';
import { WorkerThread } from '../../base/worker-thread.js';
import type { FilesWithSettings } from '../../rows/read-rows.js';
import type { StoreSettings } from '../../store/files.js';
import { type AuditJob, type AuditJobResult, auditFile } from '../audit-file.js';
import { auditMemories } from '../row-audit.js';
import type { AuditedBytes } from './audit-worker.js';

/** Audits files in threads, or in the calling one. */
export interface FileAuditor {
  /** Resolves and throws as `auditFile` does. */
  audit(
    job: AuditJob,
    onBytes: (count: number, total: number) => void,
    signal: AbortSignal,
  ): Promise<AuditJobResult>;
  close(): Promise<void>;
}

/** Audits up to `maxThreads` files at the same time, each in its own thread. */
export function createThreadAuditor(maxThreads: number, store: StoreSettings | undefined): FileAuditor {
  const pool = new ThreadPool<AuditJob, AuditJobResult, AuditedBytes>({
    maxThreads,
    startThread: () =>
      new WorkerThread(new URL('./audit-worker.js', import.meta.url), { name: 'audit', workerData: store }),
  });
  return {
    audit: (job, onBytes, signal) => pool.run(job, { onEvent: (bytes) => onBytes(...bytes), signal }),
    close: () => pool.close(),
  };
}

/** Audits in this thread; another one reads a large file. */
export function createInlineAuditor(files: FilesWithSettings): FileAuditor {
  return {
    audit: (job, onBytes, signal) => auditFile(job, files, onBytes, signal),
    close: async () => auditMemories.clear(),
  };
}

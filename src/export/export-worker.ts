import { workerData } from 'node:worker_threads';
import { serveTasks } from '../base/serve-tasks.js';
import type { StoreSettings } from '../store/files.js';
import { openFiles } from '../store/open-files.js';
import {
  type ClaimedOutput,
  type ExportJobResult,
  type JobListener,
  type PlacedExportJob,
  runExportJob,
} from './run-export-job.js';

/** A call of a `JobListener`. */
export type ExportJobEvent =
  | { readonly bytes: readonly [count: number, total: number] }
  | { readonly claimed: readonly ClaimedOutput[] };

const store = workerData as StoreSettings | undefined;
const files = openFiles(store);

serveTasks<PlacedExportJob, ExportJobResult, ExportJobEvent>((job, { emit, ask, signal }) => {
  const listener: JobListener = {
    onBytes: (...bytes) => emit({ bytes }),
    claim: async (claimed) => void (await ask({ claimed })),
  };
  return runExportJob(job, { files, store }, listener, signal);
});

import { workerData } from 'node:worker_threads';
import { serveJobs } from '../base/serve-jobs.js';
import type { StoreSettings } from '../store/files.js';
import { openFiles } from '../store/open-files.js';
import { type ExportJobResult, type PlacedExportJob, runExportJob } from './run-export-job.js';

/** Bytes of a job that were just read, and the size of its sources. */
export type ExportedBytes = readonly [count: number, total: number];

const store = workerData as StoreSettings | undefined;
const files = openFiles(store);

serveJobs<PlacedExportJob, ExportJobResult, ExportedBytes>((job, { emit, signal }) =>
  runExportJob(job, { files, store }, (count, total) => emit([count, total]), signal),
);

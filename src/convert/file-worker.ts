import { workerData } from 'node:worker_threads';
import { serveTasks } from '../base/serve-tasks.js';
import type { StoreSettings } from '../store/files.js';
import { openFiles } from '../store/open-files.js';
import type { ConvertFileResult } from './convert-file.js';
import { type ConvertJob, runConvertJob } from './convert-job.js';

/** Bytes of a job that were just read, and the size of its source. */
export type ConvertedBytes = readonly [count: number, total: number];

const files = openFiles(workerData as StoreSettings | undefined);

serveTasks<ConvertJob, readonly ConvertFileResult[], ConvertedBytes>((job, { emit, signal }) =>
  runConvertJob(job, files, (count, total) => emit([count, total]), signal),
);

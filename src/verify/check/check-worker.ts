import { workerData } from 'node:worker_threads';
import { serveJobs } from '../../base/serve-jobs.js';
import type { StoreSettings } from '../../store/files.js';
import { openFiles } from '../../store/open-files.js';
import type { CheckRequest, CheckResult } from '../file-check.js';
import { inspectBatch } from './inspect-file-bytes.js';

/** Bytes that were just read of the request at an index. */
export type CheckedBytes = readonly [index: number, count: number];

const files = openFiles(workerData as StoreSettings);

serveJobs<readonly CheckRequest[], readonly CheckResult[], CheckedBytes>((requests, { emit, signal }) =>
  inspectBatch(requests, files, emit, signal),
);

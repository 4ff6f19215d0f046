import { workerData } from 'node:worker_threads';
import { serveJobs } from '../base/serve-jobs.js';
import type { StoreSettings } from '../store/files.js';
import { openFiles } from '../store/open-files.js';
import type { CheckedBytes, CheckRequest, CheckResult } from './file-checks.js';
import { inspectBatch } from './inspect-file-bytes.js';

const files = openFiles(workerData as StoreSettings);

serveJobs<readonly CheckRequest[], readonly CheckResult[], CheckedBytes>((requests, { emit, signal }) =>
  inspectBatch(requests, files, emit, signal),
);

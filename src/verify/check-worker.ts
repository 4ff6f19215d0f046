import { workerData } from 'node:worker_threads';
import { serveTasks } from '../base/serve-tasks.js';
import type { StoreSettings } from '../store/files.js';
import { openFiles } from '../store/open-files.js';
import type { CheckedBytes, CheckRequest, CheckResult } from './file-checks.js';
import { inspectBatch } from './inspect-file-bytes.js';

const files = openFiles(workerData as StoreSettings);

serveTasks<readonly CheckRequest[], readonly CheckResult[], CheckedBytes>((requests, { emit, signal }) =>
  inspectBatch(requests, files, emit, signal),
);

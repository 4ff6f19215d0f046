import { workerData } from 'node:worker_threads';
import { serveJobs } from '../../base/serve-jobs.js';
import type { StoreSettings } from '../../store/files.js';
import { openFiles } from '../../store/open-files.js';
import type { CheckRequest, CheckResult } from '../file-check.js';
import { inspectFileBytes } from './inspect-file-bytes.js';

/** Bytes that were just read of the request at an index. */
export type CheckedBytes = readonly [index: number, count: number];

const files = openFiles(workerData as StoreSettings);

serveJobs<readonly CheckRequest[], readonly CheckResult[], CheckedBytes>(async (requests, { emit }) => {
  const results: CheckResult[] = [];
  for (const [index, request] of requests.entries()) {
    // The bytes of a batch of small files are reported when it is done.
    const onBytes = (count: number): void => {
      if (requests.length === 1) emit([index, count]);
    };
    results.push(await inspectFileBytes(request, onBytes, files));
  }
  return results;
});

import { parentPort, workerData } from 'node:worker_threads';
import type { StoreSettings } from '../../store/files.js';
import { openFiles } from '../../store/open-files.js';
import type { CheckRequest, CheckResult } from '../file-check.js';
import { inspectFileBytes } from './inspect-file-bytes.js';

/** Message to a check thread: files to inspect one after the other. */
export interface CheckCommand {
  readonly id: number;
  readonly requests: readonly CheckRequest[];
}

/** Message from a check thread. */
export type CheckResponse =
  | { readonly type: 'bytes'; readonly id: number; readonly index: number; readonly count: number }
  | { readonly type: 'done'; readonly id: number; readonly results: readonly CheckResult[] }
  | { readonly type: 'error'; readonly id: number; readonly error: unknown };

const files = openFiles(workerData as StoreSettings);
const respond = (message: CheckResponse): void => parentPort?.postMessage(message);

parentPort?.on('message', async ({ id, requests }: CheckCommand) => {
  try {
    const results: CheckResult[] = [];
    for (const [index, request] of requests.entries()) {
      // The bytes of a batch of small files are reported when it is done.
      const onBytes = (count: number): void => {
        if (requests.length === 1) respond({ type: 'bytes', id, index, count });
      };
      results.push(await inspectFileBytes(request, onBytes, files));
    }
    respond({ type: 'done', id, results });
  } catch (error) {
    respond({ type: 'error', id, error });
  }
});

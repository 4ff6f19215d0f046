import { parentPort, workerData } from 'node:worker_threads';
import type { StoreSettings } from '../../store/files.js';
import { openFiles } from '../../store/open-files.js';
import type { CheckRequest, CheckResult } from '../file-check.js';
import { inspectFileBytes } from './inspect-file-bytes.js';

/** To a checking thread: files that it looks at one after the other. */
export interface CheckCommand {
  readonly id: number;
  readonly requests: readonly CheckRequest[];
}

/** From a checking thread. */
export type CheckResponse =
  | { readonly answer: 'bytes'; readonly id: number; readonly index: number; readonly count: number }
  | { readonly answer: 'done'; readonly id: number; readonly sights: readonly CheckResult[] }
  | { readonly answer: 'bug'; readonly id: number; readonly error: unknown };

const files = openFiles(workerData as StoreSettings);
const answer = (message: CheckResponse): void => parentPort?.postMessage(message);

parentPort?.on('message', async ({ id, requests }: CheckCommand) => {
  try {
    const sights: CheckResult[] = [];
    for (const [index, order] of requests.entries()) {
      // A batch of small files tells its bytes by its end.
      const onBytes = (count: number): void => {
        if (requests.length === 1) answer({ answer: 'bytes', id, index, count });
      };
      sights.push(await inspectFileBytes(order, onBytes, files));
    }
    answer({ answer: 'done', id, sights });
  } catch (error) {
    answer({ answer: 'bug', id, error });
  }
});

import { parentPort, workerData } from 'node:worker_threads';
import { TickhaulError } from '../../base/errors.js';
import type { FileError } from '../../base/file-error.js';
import type { StoreSettings } from '../../store/files.js';
import { openFiles } from '../../store/open-files.js';
import type { ConvertFileResult } from '../convert-file.js';
import { type ConvertJob, runConvertJob } from '../convert-job.js';

/** Messages to a converting thread. */
export type ConvertFileCommand =
  | { readonly command: 'convert'; readonly job: ConvertJob }
  | { readonly command: 'abort' };

/**
 * Messages from a converting thread. Errors are plain data, since a posted TickhaulError loses its fields.
 */
export type ConvertFileMessage =
  | { readonly type: 'bytes'; readonly count: number; readonly total: number }
  | { readonly type: 'done'; readonly results: readonly ConvertFileResult[] }
  | { readonly type: 'failed'; readonly error: FileError }
  | { readonly type: 'bug'; readonly error: unknown };

const controller = new AbortController();
const files = openFiles(workerData as StoreSettings | undefined);
const postMessage = (message: ConvertFileMessage): void => parentPort?.postMessage(message);

parentPort?.on('message', (message: ConvertFileCommand) => {
  if (message.command === 'abort') controller.abort();
  else void convert(message.job);
});

async function convert(job: ConvertJob): Promise<void> {
  try {
    const onBytes = (count: number, total: number): void => postMessage({ type: 'bytes', count, total });
    postMessage({ type: 'done', results: await runConvertJob(job, files, onBytes, controller.signal) });
  } catch (error) {
    if (error instanceof TickhaulError) {
      postMessage({ type: 'failed', error: { code: error.code, message: error.message } });
    } else postMessage({ type: 'bug', error });
  }
}

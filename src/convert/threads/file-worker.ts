import { parentPort, workerData } from 'node:worker_threads';
import { TickhaulError } from '../../base/errors.js';
import type { FileError } from '../../base/file-error.js';
import type { StoreSettings } from '../../store/files.js';
import { openFiles } from '../../store/open-files.js';
import type { ConvertFileResult } from '../convert-file.js';
import { type ConvertJob, runConvertJob } from '../convert-job.js';

/** To a converting thread: one file after the other, or the order to break off. */
export type ConvertFileCommand =
  | { readonly order: 'convert'; readonly job: ConvertJob }
  | { readonly order: 'abort' };

/** From a converting thread. Errors are plain data: a TickhaulError loses its fields on the way. */
export type ConvertFileMessage =
  | { readonly answer: 'bytes'; readonly count: number; readonly total: number }
  | { readonly answer: 'done'; readonly results: readonly ConvertFileResult[] }
  | { readonly answer: 'failed'; readonly error: FileError }
  | { readonly answer: 'bug'; readonly error: unknown };

const controller = new AbortController();
const files = openFiles(workerData as StoreSettings | undefined);
const postMessage = (message: ConvertFileMessage): void => parentPort?.postMessage(message);

parentPort?.on('message', (message: ConvertFileCommand) => {
  if (message.order === 'abort') controller.abort();
  else void convert(message.job);
});

async function convert(job: ConvertJob): Promise<void> {
  try {
    const onBytes = (count: number, total: number): void => postMessage({ answer: 'bytes', count, total });
    postMessage({ answer: 'done', results: await runConvertJob(job, files, onBytes, controller.signal) });
  } catch (error) {
    if (error instanceof TickhaulError) {
      postMessage({ answer: 'failed', error: { code: error.code, message: error.message } });
    } else postMessage({ answer: 'bug', error });
  }
}

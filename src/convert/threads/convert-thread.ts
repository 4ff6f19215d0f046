import { Worker } from 'node:worker_threads';
import { TickhaulError } from '../../base/errors.js';
import type { Files, StoreSettings } from '../../store/files.js';
import { clearEncoderCache } from '../computed/encoder-cache.js';
import type { ConvertFileResult } from '../convert-file.js';
import { type ConvertJob, runConvertJob } from '../convert-job.js';
import type { ConvertFileCommand, ConvertFileMessage } from './file-worker.js';
import { clearKernels } from './local-kernel.js';

/** Converts one file after the other, in its own thread or in the calling one. */
export interface ConvertThread {
  /** Calls must not overlap. Resolves and throws as `runConvertJob` does. */
  convert(
    job: ConvertJob,
    onBytes: (count: number, total: number) => void,
  ): Promise<readonly ConvertFileResult[]>;
  /** Aborts the current job, which then fails as `interrupted` and leaves no output. */
  abort(): void;
  close(): Promise<void>;
}

export function startConvertThread(store: StoreSettings | undefined): ConvertThread {
  const worker = new Worker(new URL('./file-worker.js', import.meta.url), { workerData: store });
  const postCommand = (command: ConvertFileCommand): void => worker.postMessage(command);
  /** Set when the thread has ended. Its `exit` event is over then, so later jobs cannot wait for it. */
  let endReason: unknown;
  worker.on('error', (error) => {
    endReason = error;
  });
  worker.on('exit', () => {
    endReason ??= new Error('the converting thread ended');
  });
  return {
    convert: (job, onBytes) =>
      new Promise((resolve, reject) => {
        if (endReason !== undefined) return reject(endReason);
        const removeListeners = (): void => {
          worker.off('message', onMessage);
          worker.off('exit', onExit);
        };
        const onExit = (): void => {
          removeListeners();
          reject(endReason);
        };
        const onMessage = (message: ConvertFileMessage): void => {
          if (message.type === 'bytes') {
            onBytes(message.count, message.total);
            return;
          }
          removeListeners();
          if (message.type === 'done') resolve(message.results);
          else if (message.type === 'failed')
            reject(new TickhaulError(message.error.code, message.error.message));
          else reject(message.error);
        };
        worker.on('message', onMessage);
        worker.on('exit', onExit);
        postCommand({ command: 'convert', job });
      }),
    abort: () => postCommand({ command: 'abort' }),
    close: async () => {
      await worker.terminate();
    },
  };
}

/** Converts in this thread. Long work runs in kernel threads or in small steps. */
export function createInlineConvertThread(files: Files): ConvertThread {
  const controller = new AbortController();
  return {
    convert: (job, onBytes) => runConvertJob(job, files, onBytes, controller.signal),
    abort: () => controller.abort(),
    close: async () => {
      clearKernels();
      clearEncoderCache();
    },
  };
}

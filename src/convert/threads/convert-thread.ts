import { Worker } from 'node:worker_threads';
import { TickhaulError } from '../../base/errors.js';
import type { Files, StoreSettings } from '../../store/files.js';
import { clearEncoderCache } from '../computed/encoder-cache.js';
import type { ConvertFileResult } from '../convert-file.js';
import { type ConvertJob, runConvertJob } from '../convert-job.js';
import type { ConvertFileCommand, ConvertFileMessage } from './file-worker.js';
import { clearKernels } from './local-kernel.js';

/** Converts one file after the other, in a thread of its own or in this one. */
export interface ConvertThread {
  /** Calls must not overlap. Gives and throws as `runConvertJob` does. */
  convert(
    job: ConvertJob,
    onBytes: (count: number, total: number) => void,
  ): Promise<readonly ConvertFileResult[]>;
  /** Breaks off what is under way, which then fails as `interrupted` and leaves nothing behind. */
  abort(): void;
  close(): Promise<void>;
}

export function startConvertThread(store: StoreSettings | undefined): ConvertThread {
  const worker = new Worker(new URL('./file-worker.js', import.meta.url), { workerData: store });
  const send = (order: ConvertFileCommand): void => worker.postMessage(order);
  let ended: unknown;
  worker.on('error', (error) => {
    ended = error;
  });
  return {
    convert: (job, onBytes) =>
      new Promise((resolve, reject) => {
        const settle = (): void => {
          worker.off('message', hear);
          worker.off('exit', leave);
        };
        const leave = (): void => {
          settle();
          reject(ended ?? new Error(`${job.source}: the converting thread ended`));
        };
        const hear = (message: ConvertFileMessage): void => {
          if (message.answer === 'bytes') {
            onBytes(message.count, message.total);
            return;
          }
          settle();
          if (message.answer === 'done') resolve(message.results);
          else if (message.answer === 'failed')
            reject(new TickhaulError(message.error.code, message.error.message));
          else reject(message.error);
        };
        worker.on('message', hear);
        worker.on('exit', leave);
        send({ order: 'convert', job });
      }),
    abort: () => send({ order: 'abort' }),
    close: async () => {
      await worker.terminate();
    },
  };
}

/** Converts in this thread: what takes long is done in others, or piece by piece. */
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

import { Worker } from 'node:worker_threads';
import type { StoreSettings } from '../../store/files.js';
import type { CheckRequest, CheckResult } from '../file-check.js';
import type { CheckCommand, CheckResponse } from './check-worker.js';

/** A thread that inspects files. */
export interface CheckThread {
  /** Inspects files one after the other; calls may overlap. @param onBytes called for bytes of the file at an index. */
  inspect(
    requests: readonly CheckRequest[],
    onBytes: (index: number, count: number) => void,
  ): Promise<readonly CheckResult[]>;
  /** Terminates the thread. Inspections in progress fail. */
  close(): Promise<void>;
}

interface Batch {
  readonly onBytes: (index: number, count: number) => void;
  readonly resolve: (results: readonly CheckResult[]) => void;
  readonly reject: (reason: unknown) => void;
}

/** @param store settings with which the thread accesses an object store. */
export function startCheckThread(store: StoreSettings): CheckThread {
  const worker = new Worker(new URL('./check-worker.js', import.meta.url), { workerData: store });
  const running = new Map<number, Batch>();
  let lastId = 0;
  worker.on('message', (message: CheckResponse) => {
    const batch = running.get(message.id);
    if (message.type === 'bytes') {
      batch?.onBytes(message.index, message.count);
      return;
    }
    running.delete(message.id);
    if (message.type === 'done') batch?.resolve(message.results);
    else batch?.reject(message.error);
  });
  let endReason: unknown;
  const end = (reason: unknown): void => {
    endReason ??= reason;
    for (const batch of running.values()) batch.reject(endReason);
  };
  worker.on('error', end);
  worker.on('exit', () => end(new Error('the check thread ended')));
  return {
    inspect: (requests, onBytes) =>
      new Promise((resolve, reject) => {
        if (endReason !== undefined) return reject(endReason);
        const id = ++lastId;
        running.set(id, { onBytes, resolve, reject });
        const message: CheckCommand = { id, requests };
        worker.postMessage(message);
      }),
    close: async () => {
      await worker.terminate();
    },
  };
}

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
  /** Terminates the thread. Inspections in progress never resolve. */
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
  worker.on('error', (error) => {
    for (const batch of running.values()) batch.reject(error);
  });
  return {
    inspect: (requests, onBytes) =>
      new Promise((resolve, reject) => {
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

import { Worker } from 'node:worker_threads';
import type { StoreSettings } from '../../store/files.js';
import type { CheckRequest, CheckResult } from '../file-check.js';
import type { CheckCommand, CheckResponse } from './check-worker.js';

/** A thread that looks at files. */
export interface CheckThread {
  /** Looks at one file after the other; calls may overlap. @param onBytes told of bytes of the file at an index. */
  inspect(
    orders: readonly CheckRequest[],
    onBytes: (index: number, count: number) => void,
  ): Promise<readonly CheckResult[]>;
  /** Ends the thread at once; what is under way never resolves. */
  close(): Promise<void>;
}

interface Batch {
  readonly onBytes: (index: number, count: number) => void;
  readonly resolve: (sights: readonly CheckResult[]) => void;
  readonly reject: (reason: unknown) => void;
}

/** @param store how it reaches an object store. */
export function startCheckThread(store: StoreSettings): CheckThread {
  const worker = new Worker(new URL('./check-worker.js', import.meta.url), { workerData: store });
  const running = new Map<number, Batch>();
  let last = 0;
  worker.on('message', (message: CheckResponse) => {
    const batch = running.get(message.id);
    if (message.answer === 'bytes') {
      batch?.onBytes(message.index, message.count);
      return;
    }
    running.delete(message.id);
    if (message.answer === 'done') batch?.resolve(message.sights);
    else batch?.reject(message.error);
  });
  worker.on('error', (error) => {
    for (const batch of running.values()) batch.reject(error);
  });
  return {
    inspect: (orders, onBytes) =>
      new Promise((resolve, reject) => {
        const id = ++last;
        running.set(id, { onBytes, resolve, reject });
        const message: CheckCommand = { id, requests: orders };
        worker.postMessage(message);
      }),
    close: async () => {
      await worker.terminate();
    },
  };
}

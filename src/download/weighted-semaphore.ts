import { abortReason } from '../base/errors.js';

/** Semaphore with weights, fair in the order of requests. */
export interface WeightedSemaphore {
  /**
   * Resolves when `size` fits; a size above the capacity waits until nothing else is acquired.
   * @returns releases the size; may be called more than once.
   */
  acquire(size: number, signal: AbortSignal): Promise<() => void>;
}

interface PendingAcquire {
  readonly size: number;
  readonly onAcquired: () => void;
}

export function createWeightedSemaphore(capacity: number): WeightedSemaphore {
  const queue = new Set<PendingAcquire>();
  let used = 0;

  const admit = (): void => {
    for (const waiting of queue) {
      if (used > 0 && used + waiting.size > capacity) return;
      queue.delete(waiting);
      used += waiting.size;
      waiting.onAcquired();
    }
  };

  return {
    async acquire(size, signal) {
      await new Promise<void>((resolve, reject) => {
        if (signal.aborted) return reject(abortReason(signal));
        const onAbort = (): void => {
          queue.delete(waiting);
          admit();
          reject(abortReason(signal));
        };
        const waiting: PendingAcquire = {
          size,
          onAcquired: () => {
            signal.removeEventListener('abort', onAbort);
            resolve();
          },
        };
        signal.addEventListener('abort', onAbort, { once: true });
        queue.add(waiting);
        admit();
      });
      let heldSize = size;
      return () => {
        used -= heldSize;
        heldSize = 0;
        admit();
      };
    },
  };
}

import { abortReason } from '../base/errors.js';

/** Bounds what files under way take together, in the order they ask. */
export interface WeightedSemaphore {
  /**
   * Resolves when there is room for `size`; one larger than all room there is waits till it is alone.
   * @returns gives the room back; may be called more than once.
   */
  acquire(size: number, signal: AbortSignal): Promise<() => void>;
}

interface PendingAcquire {
  readonly size: number;
  readonly enter: () => void;
}

export function createWeightedSemaphore(capacity: number): WeightedSemaphore {
  const queue = new Set<PendingAcquire>();
  let used = 0;

  const admit = (): void => {
    for (const waiting of queue) {
      if (used > 0 && used + waiting.size > capacity) return;
      queue.delete(waiting);
      used += waiting.size;
      waiting.enter();
    }
  };

  return {
    async acquire(size, signal) {
      await new Promise<void>((resolve, reject) => {
        if (signal.aborted) return reject(abortReason(signal));
        const leave = (): void => {
          queue.delete(waiting);
          admit();
          reject(abortReason(signal));
        };
        const waiting: PendingAcquire = {
          size,
          enter: () => {
            signal.removeEventListener('abort', leave);
            resolve();
          },
        };
        signal.addEventListener('abort', leave, { once: true });
        queue.add(waiting);
        admit();
      });
      let left = size;
      return () => {
        used -= left;
        left = 0;
        admit();
      };
    },
  };
}

import pLimit from 'p-limit';
import type { Concurrency } from './concurrency.js';

/** One limit over a whole run, fed lazily: `run` resolves when the task has begun and there is room for another. */
export interface Pool {
  run(task: () => Promise<void>): Promise<void>;
  /** To be called when the limit may have grown. */
  adjust(): void;
  /** Waits for all that has begun. Rejects with the first failure of a task. */
  idle(): Promise<void>;
}

export function createPool(concurrency: Concurrency): Pool {
  const limit = pLimit(Math.max(1, concurrency.limit));
  const running = new Set<Promise<void>>();
  let roomFound: (() => void) | undefined;
  let failure: { readonly error: unknown } | undefined;

  return {
    async run(task) {
      const job: Promise<void> = limit(task)
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => {
          running.delete(job);
          roomFound?.();
        });
      running.add(job);
      for (;;) {
        if (failure) throw failure.error;
        limit.concurrency = concurrency.limit;
        if (running.size < concurrency.limit) return;
        await new Promise<void>((resolve) => {
          roomFound = resolve;
        });
      }
    },
    adjust: () => roomFound?.(),
    async idle() {
      await Promise.all(running);
      if (failure) throw failure.error;
    },
  };
}

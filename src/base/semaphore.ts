import { abortReason } from './errors.js';
import { onAbort } from './wait.js';

interface PendingAcquire {
  readonly size: number;
  readonly onAcquired: () => void;
}

/** Limits work in progress, by number or by any other size. Fair in the order of requests. */
export class Semaphore {
  readonly #queue = new Set<PendingAcquire>();
  #capacity: number;
  #used = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** A smaller capacity affects only later requests. */
  set capacity(capacity: number) {
    this.#capacity = capacity;
    this.#admit();
  }

  /** Number of requests that wait. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Whether nothing is acquired and no request waits. */
  get isIdle(): boolean {
    return this.#used === 0 && this.waiting === 0;
  }

  /**
   * Resolves when `size` fits; a size above the capacity waits until nothing else is acquired.
   * @returns releases the size; may be called more than once.
   * @throws the abort reason, as a TickhaulError.
   */
  async acquire(size = 1, signal?: AbortSignal): Promise<() => void> {
    await new Promise<void>((resolve, reject) => {
      if (signal?.aborted) return reject(abortReason(signal));
      const pending: PendingAcquire = {
        size,
        onAcquired: () => {
          removeListener?.();
          resolve();
        },
      };
      const removeListener =
        signal &&
        onAbort(signal, () => {
          this.#queue.delete(pending);
          reject(abortReason(signal));
          this.#admit();
        });
      this.#queue.add(pending);
      this.#admit();
    });
    let heldSize = size;
    return () => {
      this.#used -= heldSize;
      heldSize = 0;
      this.#admit();
    };
  }

  /** Runs a task of size 1. @throws what the task throws. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    const release = await this.acquire();
    try {
      return await task();
    } finally {
      release();
    }
  }

  #admit(): void {
    for (const pending of this.#queue) {
      if (this.#used > 0 && this.#used + pending.size > this.#capacity) return;
      this.#queue.delete(pending);
      this.#used += pending.size;
      pending.onAcquired();
    }
  }
}

/** Processes that work on the same folders and share their results. */
export interface ProcessGroup {
  readonly processes: number;
  readonly mutex: KeyedMutex;
}

/** Runs tasks with the same key one after the other, also across processes. */
export interface KeyedMutex {
  /**
   * @param task receives the note of the previous task with this key, if known.
   * @param createNote creates the note for the next task from the result.
   * @throws what the task throws; the abort reason, also while waiting for the lock.
   */
  runExclusive<T>(
    key: string,
    signal: AbortSignal,
    task: (note?: number) => Promise<T>,
    createNote?: (result: T) => number | undefined,
  ): Promise<T>;
}

import { Semaphore } from '../base/semaphore.js';
import type { Concurrency } from './concurrency.js';

/** A task's slot under the concurrency limit. The task holds it while it transfers a file. */
export interface TransferSlot {
  /** Waits for a free slot, unless the task holds one. Resolves without a slot if the run is aborted. */
  acquire(): Promise<void>;
  /** Frees the slot for another task. Does nothing if the task holds none. */
  release(): void;
  /**
   * Releases the slot, and does not count the task as active while it waits. For a short wait at its end, such as for the
   * manifest record to be written. @throws what the wait throws.
   */
  inBackground<T>(startWait: () => Promise<T>): Promise<T>;
}

export type TransferTask = (slot: TransferSlot) => Promise<void>;

/** Runs transfers under a concurrency limit. Await each `submit`: a plan may have millions of files. */
export interface TransferPool {
  /**
   * Starts a task as soon as a slot is free, and resolves when the pool has room for the next task. After an
   * abort the task still starts, but without a slot: its caller may await a promise that only the task
   * resolves.
   * @param maxSlots stricter limit for this caller; the pool's limit applies as well.
   * @throws the first error of any task in the pool.
   */
  submit(task: TransferTask, maxSlots?: number): Promise<void>;
  /** Applies the current concurrency limit. Call it when the limit may have grown. */
  updateLimit(): void;
  /** Waits for all tasks submitted so far. @throws the first error of any task in the pool. */
  waitForIdle(): Promise<void>;
}

/** Active tasks allowed beyond the limit, since tasks that wait for a retry or verify a file hold no slot. */
const MAX_TASKS_BEYOND_LIMIT = 20;
const MAX_BACKGROUND_TASKS = 2000;

/**
 * @param signal aborted when the run is stopped; after that, no task waits for a slot.
 * @param slots pools with the same semaphore share its slots.
 * @param onAllWaiting called when all started tasks wait in the background.
 */
export function createTransferPool(
  concurrency: Concurrency,
  signal: AbortSignal,
  slots = new Semaphore(Math.max(1, concurrency.limit)),
  onAllWaiting: () => void = () => {},
): TransferPool {
  const tasks = new Set<Promise<void>>();
  let startedTasks = 0;
  let backgroundTasks = 0;
  /** Slots that tasks hold or wait for. */
  let requestedSlots = 0;
  /** Resume the `submit` calls that wait for room. */
  let waiters: (() => void)[] = [];
  /** An object, because a task may throw any value, even undefined. */
  let firstFailure: { readonly error: unknown } | undefined;

  const updateLimit = (): void => {
    slots.capacity = Math.max(1, concurrency.limit);
    const resumable = waiters;
    waiters = [];
    for (const resume of resumable) resume();
  };

  const notifyIfAllWait = (): void => {
    if (backgroundTasks > 0 && backgroundTasks === startedTasks) onAllWaiting();
  };

  const hasRoom = (maxSlots: number): boolean => {
    const limit = Math.min(maxSlots, concurrency.limit);
    const activeTasks = tasks.size - backgroundTasks;
    return (
      requestedSlots < limit &&
      activeTasks < limit + MAX_TASKS_BEYOND_LIMIT &&
      backgroundTasks < MAX_BACKGROUND_TASKS
    );
  };

  const createSlot = (): TransferSlot & { close(): void } => {
    /** Undefined if no slot is held. */
    let releaseSlot: (() => void) | undefined;

    const release = (): void => {
      if (!releaseSlot) return;
      releaseSlot();
      releaseSlot = undefined;
      requestedSlots--;
      updateLimit();
    };

    return {
      async acquire() {
        if (releaseSlot || signal.aborted) return;
        requestedSlots++;
        try {
          releaseSlot = await slots.acquire(1, signal);
        } catch {
          // Aborted: the task continues without a slot.
          requestedSlots--;
          updateLimit();
        }
      },
      release,
      async inBackground(startWait) {
        backgroundTasks++;
        release();
        updateLimit();
        try {
          const waiting = startWait();
          notifyIfAllWait();
          return await waiting;
        } finally {
          backgroundTasks--;
        }
      },
      close: release,
    };
  };

  const runTask = async (task: TransferTask): Promise<void> => {
    const slot = createSlot();
    await slot.acquire();
    startedTasks++;
    try {
      await task(slot);
    } finally {
      startedTasks--;
      slot.close();
      notifyIfAllWait();
    }
  };

  return {
    async submit(task, maxSlots = Number.POSITIVE_INFINITY) {
      const running: Promise<void> = runTask(task)
        .catch((error: unknown) => {
          firstFailure ??= { error };
        })
        .finally(() => {
          tasks.delete(running);
          updateLimit();
        });
      tasks.add(running);
      for (;;) {
        if (firstFailure) throw firstFailure.error;
        if (hasRoom(maxSlots)) return;
        await new Promise<void>((resolve) => {
          waiters.push(resolve);
        });
      }
    },
    updateLimit,
    async waitForIdle() {
      await Promise.all(tasks);
      if (firstFailure) throw firstFailure.error;
    },
  };
}

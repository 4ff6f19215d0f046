import { ThreadPool } from './thread-pool.js';
import type { TaskOptions, WorkerThread } from './worker-thread.js';

/** How long the process keeps an idle thread, and memory of tasks in its own thread, for the next run. */
export const IDLE_TIMEOUT_MS = 5_000;

/** Runs a task in a thread, or in the calling one. Resolves and throws as the task does. */
export type RunTask<Task, Result, Event> = (task: Task, options: TaskOptions<Event>) => Promise<Result>;

/**
 * Threads of one kind that the process keeps over its runs. A task gets a thread to itself, unless its run allows fewer.
 * @param startThread starts a thread, whose `workerData` is the setup.
 * @returns the threads with a setup, which is plain data, such as the settings of object stores.
 */
export function keepThreads<Setup, Task, Result, Event = never, Message = never>(
  startThread: (setup: Setup) => WorkerThread<Task, Result, Event, Message>,
): (setup: Setup) => ThreadPool<Task, Result, Event, Message> {
  const pools = new Map<string, ThreadPool<Task, Result, Event, Message>>();
  return (setup) => {
    const key = JSON.stringify(setup) ?? '';
    const pool =
      pools.get(key) ??
      new ThreadPool({ startThread: () => startThread(setup), idleTimeoutMs: IDLE_TIMEOUT_MS });
    pools.set(key, pool);
    return pool;
  };
}

/**
 * Works on items in their order, `count` at a time, until all are done or the signal is aborted.
 * @param stop aborted by the first error, and part of `signal`.
 * @throws the first error, when all work has ended.
 */
export async function workInParallel<Item>(
  items: readonly Item[],
  { count, signal, stop }: { count: number; signal: AbortSignal; stop: AbortController },
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const workQueue = async (): Promise<void> => {
    for (const item of queue) {
      if (signal.aborted) return;
      await work(item);
    }
  };
  const running = Array.from({ length: Math.min(count, items.length) }, workQueue);
  for (const worker of running) worker.catch((error: unknown) => stop.abort(error));
  await Promise.allSettled(running);
  await Promise.all(running);
}

/**
 * Memory that tasks in this thread leave for the next ones.
 * @param free drops it; what is in use stays valid.
 * @returns a function to call after each task: the memory is dropped when no further one has come for a while.
 */
export function freeWhenIdle(free: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(free, IDLE_TIMEOUT_MS).unref();
  };
}

import type { TaskOptions, WorkerThread } from './worker-thread.js';

interface ThreadPoolOptions<Task, Result, Event, Message> {
  /** Unlimited by default: each task that finds no idle thread starts one. */
  readonly maxThreads?: number | undefined;
  readonly startThread: () => WorkerThread<Task, Result, Event, Message>;
  /**
   * How long an idle thread and its memory are kept for the next task; by default until `close`. It does not keep the
   * process running.
   */
  readonly idleTimeoutMs?: number | undefined;
}

/** A share in a thread of a pool. */
interface ThreadLease<Task, Result, Event, Message> {
  readonly thread: WorkerThread<Task, Result, Event, Message>;
  /** Call it when the last task has ended. May be called more than once. */
  release(): void;
}

interface PooledThread<Task, Result, Event, Message> {
  readonly thread: WorkerThread<Task, Result, Event, Message>;
  leases: number;
  idleTimer?: NodeJS.Timeout | undefined;
}

/**
 * Threads of one kind, started on demand and shared by any number of tasks. If a thread ends by itself, its
 * tasks fail; if it was idle, the next task fails, so that no error is lost. A new thread then replaces it.
 */
export class ThreadPool<Task, Result = void, Event = never, Message = never> {
  readonly #options: ThreadPoolOptions<Task, Result, Event, Message>;
  readonly #threads = new Set<PooledThread<Task, Result, Event, Message>>();

  constructor(options: ThreadPoolOptions<Task, Result, Event, Message>) {
    this.#options = options;
  }

  get maxThreads(): number {
    return this.#options.maxThreads ?? Number.POSITIVE_INFINITY;
  }

  /** Leases the thread with the fewest leases; a new one if all have some and more are allowed. */
  lease(maxThreads = this.maxThreads): ThreadLease<Task, Result, Event, Message> {
    const [leastBusy] = [...this.#threads].sort((a, b) => a.leases - b.leases);
    const isFull = this.#threads.size >= maxThreads;
    const leased = leastBusy && (leastBusy.leases === 0 || isFull) ? leastBusy : this.#start();
    clearTimeout(leased.idleTimer);
    if (leased.leases === 0) leased.thread.ref();
    leased.leases++;
    let isHeld = true;
    const release = (): void => {
      if (isHeld) this.#release(leased);
      isHeld = false;
    };
    return { thread: leased.thread, release };
  }

  /** Runs a task in the thread with the fewest leases. @throws as `WorkerThread.run`. */
  async run(task: Task, options?: TaskOptions<Event>, maxThreads = this.maxThreads): Promise<Result> {
    const { thread, release } = this.lease(maxThreads);
    try {
      return await thread.run(task, options);
    } finally {
      release();
    }
  }

  /** Starts threads ahead of their first tasks, until `count` are running. @throws as `startThread`; then closes all. */
  start(count: number): void {
    try {
      while (this.#threads.size < count) this.#keepIdle(this.#start());
    } catch (error) {
      void this.close();
      throw error;
    }
  }

  /** Terminates all threads; tasks in progress fail. */
  async close(): Promise<void> {
    await Promise.all([...this.#threads].map((closed) => this.#close(closed)));
  }

  #start(): PooledThread<Task, Result, Event, Message> {
    const started = { thread: this.#options.startThread(), leases: 0 };
    this.#threads.add(started);
    return started;
  }

  #release(released: PooledThread<Task, Result, Event, Message>): void {
    released.leases--;
    if (released.thread.hasEnded) this.#threads.delete(released);
    else if (released.leases === 0) this.#keepIdle(released);
  }

  #keepIdle(idle: PooledThread<Task, Result, Event, Message>): void {
    const { idleTimeoutMs } = this.#options;
    if (idleTimeoutMs === undefined) return;
    idle.thread.unref();
    idle.idleTimer = setTimeout(() => void this.#close(idle), idleTimeoutMs).unref();
  }

  async #close(closed: PooledThread<Task, Result, Event, Message>): Promise<void> {
    this.#threads.delete(closed);
    clearTimeout(closed.idleTimer);
    await closed.thread.close();
  }
}

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
  items: Iterable<Item>,
  { count, signal, stop }: { count: number; signal: AbortSignal; stop: AbortController },
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const workQueue = async (): Promise<void> => {
    for (let next = queue.next(); !next.done && !signal.aborted; next = queue.next()) await work(next.value);
  };
  const running = Array.from({ length: count }, workQueue);
  // The first one by time: those after it may be caused by the abort.
  const finished = Promise.all(running);
  finished.catch((error: unknown) => stop.abort(error));
  await Promise.allSettled(running);
  await finished;
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

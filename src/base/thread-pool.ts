import type { TaskOptions, WorkerThread } from './worker-thread.js';

export interface ThreadPoolOptions<Task, Result, Event, Message> {
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
export interface ThreadLease<Task, Result, Event, Message> {
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

  /** Starts threads ahead of their first tasks, until `count` are running. */
  start(count: number): void {
    while (this.#threads.size < count) this.#keepIdle(this.#start());
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

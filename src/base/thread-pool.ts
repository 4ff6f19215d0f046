import type { JobOptions, WorkerThread } from './worker-thread.js';

export interface ThreadPoolOptions<Job, Result, Event, Message> {
  /** Unlimited by default: each job that finds no idle thread starts one. */
  readonly maxThreads?: number | undefined;
  readonly startThread: () => WorkerThread<Job, Result, Event, Message>;
  /**
   * How long an idle thread and its memory are kept for the next job; by default until `close`. It does not keep the
   * process running.
   */
  readonly idleTimeoutMs?: number | undefined;
}

/** A share in a thread of a pool. */
export interface ThreadLease<Job, Result, Event, Message> {
  readonly thread: WorkerThread<Job, Result, Event, Message>;
  /** Call it when the last job has ended. May be called more than once. */
  release(): void;
}

interface PooledThread<Job, Result, Event, Message> {
  readonly thread: WorkerThread<Job, Result, Event, Message>;
  leases: number;
  idleTimer?: NodeJS.Timeout | undefined;
}

/**
 * Threads of one kind, started on demand and shared by any number of jobs. If a thread ends by itself, its
 * jobs fail; if it was idle, the next job fails, so that no error is lost. A new thread then replaces it.
 */
export class ThreadPool<Job, Result = void, Event = never, Message = never> {
  readonly #options: ThreadPoolOptions<Job, Result, Event, Message>;
  readonly #threads = new Set<PooledThread<Job, Result, Event, Message>>();

  constructor(options: ThreadPoolOptions<Job, Result, Event, Message>) {
    this.#options = options;
  }

  get maxThreads(): number {
    return this.#options.maxThreads ?? Number.POSITIVE_INFINITY;
  }

  /** Leases the thread with the fewest leases; a new one if all have some and more are allowed. */
  lease(maxThreads = this.maxThreads): ThreadLease<Job, Result, Event, Message> {
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

  /** Runs a job in the thread with the fewest leases. @throws as `WorkerThread.run`. */
  async run(job: Job, options?: JobOptions<Event>, maxThreads = this.maxThreads): Promise<Result> {
    const { thread, release } = this.lease(maxThreads);
    try {
      return await thread.run(job, options);
    } finally {
      release();
    }
  }

  /** Starts threads ahead of their first jobs, until `count` are running. */
  start(count: number): void {
    while (this.#threads.size < count) this.#keepIdle(this.#start());
  }

  /** Terminates all threads; jobs in progress fail. */
  async close(): Promise<void> {
    await Promise.all([...this.#threads].map((closed) => this.#close(closed)));
  }

  #start(): PooledThread<Job, Result, Event, Message> {
    const started = { thread: this.#options.startThread(), leases: 0 };
    this.#threads.add(started);
    return started;
  }

  #release(released: PooledThread<Job, Result, Event, Message>): void {
    released.leases--;
    if (released.thread.hasEnded) this.#threads.delete(released);
    else if (released.leases === 0) this.#keepIdle(released);
  }

  #keepIdle(idle: PooledThread<Job, Result, Event, Message>): void {
    const { idleTimeoutMs } = this.#options;
    if (idleTimeoutMs === undefined) return;
    idle.thread.unref();
    idle.idleTimer = setTimeout(() => void this.#close(idle), idleTimeoutMs).unref();
  }

  async #close(closed: PooledThread<Job, Result, Event, Message>): Promise<void> {
    this.#threads.delete(closed);
    clearTimeout(closed.idleTimer);
    await closed.thread.close();
  }
}

import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { TickhaulError } from '../../base/errors.js';

/**
 * Message that starts a job in a thread. All other messages of the job use its own port, which is closed at
 * its end.
 */
export interface ThreadJob<Task> {
  readonly task: Task;
  readonly port: MessagePort;
}

/** The main thread's side of a job. */
export interface ThreadJobHandle {
  readonly port: MessagePort;
  /** Calls `listener` once, when the job ends: `close` was called, or its thread failed. */
  onEnd(listener: (error: unknown) => void): void;
  /** Ends the job; its work in the thread stops at the next message or buffer. */
  close(): void;
}

interface SharedThread {
  readonly worker: Worker;
  readonly jobs: Set<{ end(error: unknown): void }>;
  idleTimer?: NodeJS.Timeout | undefined;
}

/**
 * By default V8 collects up to 48 MB of young objects in each thread. Here they are short-lived, so a smaller
 * limit saves memory without a loss of speed.
 */
export const THREAD_LIMITS = { maxYoungGenerationSizeMb: 12 };
/** How long an idle thread and its memory are kept for the next job. */
const IDLE_TIMEOUT_MS = 5_000;

/**
 * Threads that the replays of a process share, limited to `maxThreads` for any number of replays and started
 * on demand. A thread interleaves its jobs, so no job waits for the end of another.
 */
export class ThreadPool<Task> {
  readonly maxThreads: number;
  readonly #startThread: () => Worker;
  readonly #threads = new Set<SharedThread>();

  /** @param startThread starts a thread that accepts `ThreadJob` messages. */
  constructor(maxThreads: number, startThread: () => Worker) {
    this.maxThreads = maxThreads;
    this.#startThread = startThread;
  }

  get #busyThreads(): number {
    return [...this.#threads].filter(({ jobs }) => jobs.size > 0).length;
  }

  /**
   * Starts jobs on the threads with the fewest jobs; each job gets a different thread if there are enough.
   */
  startJobs(tasks: readonly Task[]): readonly ThreadJobHandle[] {
    while (this.#threads.size < Math.min(this.maxThreads, tasks.length + this.#busyThreads)) this.#add();
    const threads = [...this.#threads].sort((a, b) => a.jobs.size - b.jobs.size);
    return tasks.map((task, at) => this.#startJob(threads[at % threads.length] as SharedThread, task));
  }

  /** Ends all threads; pending reads of their jobs fail. */
  async close(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => this.#end(thread, createAbortedError())));
  }

  #add(): void {
    const thread = { worker: this.#startThread(), jobs: new Set<{ end(error: unknown): void }>() };
    this.#threads.add(thread);
    thread.worker.on('error', (error) => void this.#end(thread, error));
    thread.worker.on('exit', () => void this.#end(thread, new Error('a replay thread exited')));
  }

  #startJob(thread: SharedThread, task: Task): ThreadJobHandle {
    clearTimeout(thread.idleTimer);
    const { port1: port, port2 } = new MessageChannel();
    const job: ThreadJob<Task> = { task, port: port2 };
    thread.worker.postMessage(job, [port2]);
    let listener = (_error: unknown): void => {};
    const entry = {
      end: (error: unknown): void => {
        if (!thread.jobs.delete(entry)) return;
        port.close();
        listener(error);
        if (thread.jobs.size > 0) return;
        thread.idleTimer = setTimeout(
          () => void this.#end(thread, createAbortedError()),
          IDLE_TIMEOUT_MS,
        ).unref();
      },
    };
    thread.jobs.add(entry);
    return {
      port,
      onEnd(onEnd) {
        listener = onEnd;
      },
      close: () => entry.end(createAbortedError()),
    };
  }

  async #end(thread: SharedThread, error: unknown): Promise<void> {
    this.#threads.delete(thread);
    for (const job of thread.jobs) job.end(error);
    clearTimeout(thread.idleTimer);
    await thread.worker.terminate();
  }
}

function createAbortedError(): TickhaulError {
  return new TickhaulError('interrupted', 'the replay was interrupted');
}

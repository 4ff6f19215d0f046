import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { TickhaulError } from '../../base/errors.js';

/** What a thread is told of a job: all further word on it goes over a port of its own, which is closed at its end. */
export interface ThreadJob<Task> {
  readonly task: Task;
  readonly port: MessagePort;
}

/** The other side of a job. */
export interface ThreadJobHandle {
  readonly port: MessagePort;
  /** Called once, when no more comes of the job: `close` was called, or its thread failed. */
  onEnd(listener: (error: unknown) => void): void;
  /** The thread stops at the next step. */
  close(): void;
}

interface SharedThread {
  readonly worker: Worker;
  readonly jobs: Set<{ end(error: unknown): void }>;
  idle?: NodeJS.Timeout | undefined;
}

/** V8 lets 48 MB of young objects come together in each thread; these die at once, and fewer cost no time. */
export const THREAD_LIMITS = { maxYoungGenerationSizeMb: 12 };
/** Milliseconds that a thread without a job is kept: for the next, and its memory no longer than that. */
const IDLE_TIMEOUT_MS = 5_000;

/**
 * Threads that the replays of a process share: never more than `most`, however many replays there are. They begin when
 * they are needed. A thread works on all of its jobs in turns, so that none waits for another's end.
 */
export class ThreadPool<Task> {
  readonly maxThreads: number;
  readonly #start: () => Worker;
  readonly #threads = new Set<SharedThread>();

  /** @param start of a thread that takes `ThreadJob`s. */
  constructor(most: number, start: () => Worker) {
    this.maxThreads = most;
    this.#start = start;
  }

  /** How many jobs would have a thread of their own. */
  get idle(): number {
    return this.maxThreads - this.#busy;
  }

  get #busy(): number {
    return [...this.#threads].filter(({ jobs }) => jobs.size > 0).length;
  }

  /** Begins jobs, each on a thread of its own, as far as they go around: those with the least to do. */
  begin(tasks: readonly Task[]): readonly ThreadJobHandle[] {
    while (this.#threads.size < Math.min(this.maxThreads, tasks.length + this.#busy)) this.#add();
    const threads = [...this.#threads].sort((a, b) => a.jobs.size - b.jobs.size);
    return tasks.map((task, at) => this.#beginOn(threads[at % threads.length] as SharedThread, task));
  }

  /** Ends all threads: whoever waits for something of them gets an error. */
  async close(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => this.#end(thread, createAbortedError())));
  }

  #add(): void {
    const thread = { worker: this.#start(), jobs: new Set<{ end(error: unknown): void }>() };
    this.#threads.add(thread);
    thread.worker.on('error', (error) => void this.#end(thread, error));
    thread.worker.on('exit', () => void this.#end(thread, new Error('a thread of replays ended')));
  }

  #beginOn(thread: SharedThread, task: Task): ThreadJobHandle {
    clearTimeout(thread.idle);
    const { port1: port, port2 } = new MessageChannel();
    const job: ThreadJob<Task> = { task, port: port2 };
    thread.worker.postMessage(job, [port2]);
    let listener = (_error: unknown): void => {};
    const own = {
      end: (error: unknown): void => {
        if (!thread.jobs.delete(own)) return;
        port.close();
        listener(error);
        if (thread.jobs.size > 0) return;
        thread.idle = setTimeout(() => void this.#end(thread, createAbortedError()), IDLE_TIMEOUT_MS).unref();
      },
    };
    thread.jobs.add(own);
    return {
      port,
      onEnd(onEnd) {
        listener = onEnd;
      },
      close: () => own.end(createAbortedError()),
    };
  }

  async #end(thread: SharedThread, error: unknown): Promise<void> {
    this.#threads.delete(thread);
    for (const job of thread.jobs) job.end(error);
    clearTimeout(thread.idle);
    await thread.worker.terminate();
  }
}

function createAbortedError(): TickhaulError {
  return new TickhaulError('interrupted', 'the replay was broken off');
}

import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { AsyncQueue } from '../../base/async-queue.js';
import { TickhaulError } from '../../base/errors.js';
import { type ThreadLease, ThreadPool } from '../../base/thread-pool.js';
import type { WorkerThread } from '../../base/worker-thread.js';
import type { TimedLines } from '../../market/lines/line-buffer.js';
import { type LinesMessage, lineTransferList, type UsedLines } from './send-lines.js';

/** A job of a thread. All other messages of the job use its own port, whose close ends the job. */
export interface PortJob<Task> {
  readonly task: Task;
  readonly port: MessagePort;
}

/**
 * Threads that the replays of a process share, at most `maxThreads` for any number of replays. A thread
 * interleaves its jobs, so no job waits for the end of another.
 */
export type ReplayThreads<Task> = ThreadPool<PortJob<Task>>;

/**
 * By default V8 collects up to 48 MB of young objects in each thread. Here they are short-lived, so a smaller
 * limit saves memory without a loss of speed.
 */
export const THREAD_LIMITS = { maxYoungGenerationSizeMb: 12 };
/** How long an idle thread and its memory are kept for the next replay. */
const IDLE_TIMEOUT_MS = 5_000;

/** @param startThread starts a thread that serves `PortJob`s. */
export function createReplayThreads<Task>(
  maxThreads: number,
  startThread: () => WorkerThread<PortJob<Task>>,
): ReplayThreads<Task> {
  return new ThreadPool({ maxThreads, startThread, idleTimeoutMs: IDLE_TIMEOUT_MS });
}

/**
 * A job in a thread that writes the lines of some inputs; each input works ahead as far as it has buffers.
 */
export class LineThread<Task> {
  /** Messages of the job. */
  readonly port: MessagePort;
  readonly #lease: ThreadLease<PortJob<Task>, void, never>;
  readonly #queues: readonly AsyncQueue<TimedLines>[];

  /** @param task its handler in the thread calls `sendLines` for each input. @param inputCount number of inputs. */
  constructor(threads: ReplayThreads<Task>, task: Task, inputCount: number) {
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    this.#queues = Array.from({ length: inputCount }, () => new AsyncQueue<TimedLines>());
    this.#lease = threads.lease();
    this.#lease.thread
      .run({ task, port: port2 }, { transfer: [port2] })
      .catch((error: unknown) => this.#end(error));
  }

  /** Ends the job; pending reads of lines fail. Its work in the thread stops at the next message or buffer. */
  close(): void {
    this.#end(new TickhaulError('interrupted', 'the replay was interrupted'));
  }

  /** Handles a message of the thread. */
  handleMessage(message: LinesMessage): void {
    const queue = this.#queues[message.input];
    if (message.type === 'lines') queue?.push(message.lines);
    else if (message.type === 'end') queue?.end();
    else if (message.type === 'bug') queue?.end(message.error);
    else queue?.end(new TickhaulError(message.error.code, message.error.message, message.error));
  }

  /** Ends an input with an error, after the lines it has sent. */
  fail(input: number, error: unknown): void {
    this.#queues[input]?.end(error);
  }

  /**
   * The lines of one input; can be iterated once. A buffer is valid until the next one is requested.
   * @throws the error of the input, after all lines it sent.
   */
  async *lines(input: number): AsyncGenerator<TimedLines, void, undefined> {
    const queue = this.#queues[input];
    for (let received = await queue?.next(); received !== undefined; received = await queue?.next()) {
      yield received;
      const { count, bytes, ends, localTimestamps } = received;
      const lines = { count, bytes, ends, localTimestamps };
      const used: UsedLines = { type: 'used', input, lines };
      this.port.postMessage(used, lineTransferList(lines));
    }
  }

  #end(error: unknown): void {
    this.port.close();
    this.#lease.release();
    for (const queue of this.#queues) queue.end(error);
  }
}

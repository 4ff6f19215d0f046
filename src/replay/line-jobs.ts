import { setMaxListeners } from 'node:events';
import type { TransferListItem } from 'node:worker_threads';
import { TickhaulError } from '../base/errors.js';
import type { TaskContext } from '../base/serve-tasks.js';
import { IDLE_TIMEOUT_MS, ThreadPool } from '../base/thread-pool.js';
import { AsyncQueue } from '../base/wait.js';
import type { WorkerThread } from '../base/worker-thread.js';
import { LineBuffer, type TimedLines } from '../market/lines/line-buffer.js';

/**
 * Hands over a full buffer (undefined on the first call) and returns an empty one. Throws once the reader has
 * stopped.
 */
export type SwapBuffer<B> = (full: B | undefined) => Promise<B>;

/**
 * Turns a producer into an async generator of buffers. The producer starts with the first read, works ahead
 * only as far as there are buffers, and its error is thrown only after all buffers already handed over.
 * @param buffers reused: a buffer is valid until the reader asks for the next one.
 */
export async function* createHandover<B>(
  buffers: readonly B[],
  produce: (swap: SwapBuffer<B>) => Promise<void>,
): AsyncGenerator<B, void, undefined> {
  const free = new AsyncQueue(buffers);
  const full = new AsyncQueue<B>();
  const producing = produce(createSwapBuffer(full, free)).then(
    () => full.end(),
    (error: unknown) => full.end(error),
  );
  try {
    for (let buffer = await full.next(); buffer !== undefined; buffer = await full.next()) {
      yield buffer;
      free.push(buffer);
    }
  } finally {
    free.end();
    await producing;
  }
}

/** A `SwapBuffer` over two queues, whose other ends the reader holds. */
export function createSwapBuffer<B>(
  full: Pick<AsyncQueue<B>, 'push'>,
  free: Pick<AsyncQueue<B>, 'next'>,
): SwapBuffer<B> {
  return async (buffer) => {
    if (buffer !== undefined) full.push(buffer);
    const empty = await free.next();
    if (empty === undefined) throw new Error('the reader has stopped');
    return empty;
  };
}

/** Event of a job: some of its lines. */
export interface LinesEvent {
  readonly lines: TimedLines;
}

/** Message to a job: lines that were read, whose memory it reuses. */
export interface UsedLines {
  readonly used: TimedLines;
}

/** A thread that runs jobs which write lines. `Event` and `Message` are what the jobs have besides lines. */
export type ReplayThread<Task, Event, Message> = WorkerThread<
  Task,
  void,
  LinesEvent | Event,
  UsedLines | Message
>;

/**
 * Threads that the replays of a process share, at most `maxThreads` for any number of replays. A thread
 * interleaves its jobs, so no job waits for the end of another.
 */
export type ReplayThreads<Task, Event, Message> = ThreadPool<
  Task,
  void,
  LinesEvent | Event,
  UsedLines | Message
>;

/**
 * By default V8 collects up to 48 MB of young objects in each thread. Here they are short-lived, so a smaller
 * limit saves memory without a loss of speed.
 */
export const THREAD_LIMITS = { maxYoungGenerationSizeMb: 12 };

/** The threads and their memory are kept for the next replay for a while. */
export function createReplayThreads<Task, Event, Message>(
  maxThreads: number,
  startThread: () => ReplayThread<Task, Event, Message>,
): ReplayThreads<Task, Event, Message> {
  return new ThreadPool({ maxThreads, startThread, idleTimeoutMs: IDLE_TIMEOUT_MS });
}

/** A job that writes lines. */
export interface LineJob<Message> {
  post(message: Message): void;
  /**
   * The lines of the job; can be iterated once. A buffer is valid until the next one is requested.
   * @throws the error of the job, after all lines it sent.
   */
  lines(): AsyncGenerator<TimedLines, void, undefined>;
}

export interface LineJobs<Message> {
  /** One for each task. */
  readonly jobs: readonly LineJob<Message>[];
  /** Ends the jobs; pending reads of lines fail. Their work in the thread stops at the next message or buffer. */
  close(): void;
}

/**
 * Starts jobs in one thread; each works ahead as far as it has buffers.
 * @param onEvent handles other events of a job. If its promise rejects, the job ends with that error.
 */
export function startLineJobs<Task, Event extends object, Message>(
  threads: ReplayThreads<Task, Event, Message>,
  tasks: readonly Task[],
  onEvent: (event: Event, task: number) => unknown,
): LineJobs<Message> {
  const { thread, release } = threads.lease();
  const stop = new AbortController();
  // Each job adds a listener, so a large number of them is not a leak.
  setMaxListeners(0, stop.signal);
  const queues = tasks.map(() => new AsyncQueue<TimedLines>());
  const jobs = queues.map((queue, at): LineJob<Message> => {
    const onJobEvent = (event: LinesEvent | Event): unknown => {
      if ('lines' in event) return queue.push(event.lines);
      const answer = onEvent(event, at);
      if (answer instanceof Promise) answer.catch((error: unknown) => queue.end(error));
      return answer;
    };
    const { post, result } = thread.open(tasks[at] as Task, { onEvent: onJobEvent, signal: stop.signal });
    const fail = (error: unknown): void => {
      if (thread.hasEnded) release();
      queue.end(error);
    };
    result.then(() => queue.end(), fail);
    return {
      post,
      async *lines() {
        for (let received = await queue.next(); received; received = await queue.next()) {
          yield received;
          const { count, bytes, ends, localTimestamps } = received;
          const used = { count, bytes, ends, localTimestamps };
          post({ used }, transferList(used));
        }
      },
    };
  });
  const close = (): void => {
    for (const queue of queues) queue.end(new TickhaulError('interrupted', 'the replay was interrupted'));
    stop.abort();
    release();
  };
  return { jobs, close };
}

/**
 * In the thread: hands full buffers over as events, and gets empty ones.
 * @param buffers the first empty ones. @param nextUsed resolves to undefined if there will be no further one.
 */
export function createLineSwap(
  buffers: readonly LineBuffer[],
  nextUsed: () => Promise<TimedLines | undefined>,
  emit: TaskContext<LinesEvent>['emit'],
): SwapBuffer<LineBuffer> {
  const empty = [...buffers];
  const next = async (): Promise<LineBuffer | undefined> => {
    const buffer = empty.pop();
    if (buffer) return buffer;
    const used = await nextUsed();
    return used && new LineBuffer(used);
  };
  const push = ({ count, bytes, ends, localTimestamps, notBefore }: LineBuffer): void => {
    const lines = { count, bytes, ends, localTimestamps, notBefore };
    emit({ lines }, transferList(lines));
  };
  return createSwapBuffer({ push }, { next });
}

/** After the transfer, the buffers are detached in this thread. */
function transferList({ bytes, ends, localTimestamps }: TimedLines): TransferListItem[] {
  return [bytes, ends, localTimestamps].map(({ buffer }) => buffer as ArrayBuffer);
}

import { WorkerThread } from '../../../base/worker-thread.js';
import type { TimedLines } from '../../../market/lines/line-buffer.js';
import { LineThread, type PortJob, type ReplayThreads, THREAD_LIMITS } from '../../threads/line-thread.js';
import type { FeedText } from '../feed-text.js';
import type { FeedCommand, FeedTask, FeedThreadMessage } from './feed-worker.js';

/** Parses and normalizes the messages of a source in another thread. */
export interface FeedReader {
  /** Sends more text. @param onUsed called when the reader no longer needs the text. */
  write(text: FeedText, onUsed: () => void): void;
  /** Marks the end of the text. */
  end(): void;
  /**
   * The lines of this reader; can be iterated once. A buffer is valid until the next one is requested.
   * @throws as `writeFeedLines`.
   */
  lines(): AsyncIterable<TimedLines>;
}

export interface FeedJob {
  /** One reader for each task. */
  readonly readers: readonly FeedReader[];
  /** Ends the job; pending reads of lines fail. */
  close(): void;
}

/** Threads that the replays of a process share. */
export type FeedThreads = ReplayThreads<readonly FeedTask[]>;

/** Starts a thread that runs `FeedTask`s. */
export function startFeedThread(): WorkerThread<PortJob<readonly FeedTask[]>> {
  return new WorkerThread(new URL('./feed-worker.js', import.meta.url), {
    name: 'feed replay',
    resourceLimits: THREAD_LIMITS,
  });
}

/** Starts one job with some tasks. @param warn called for messages of an unknown form. */
export function startFeedJob(
  threads: FeedThreads,
  tasks: readonly FeedTask[],
  warn: (message: string) => void,
): FeedJob {
  const thread = new LineThread(threads, tasks, tasks.length);
  const { port } = thread;
  /** Callbacks for the texts that each task has not used yet, in order. */
  const usedCallbacks = tasks.map((): (() => void)[] => []);
  port.on('message', (message: FeedThreadMessage) => {
    if (message.type === 'used') usedCallbacks[message.input]?.shift()?.();
    else if (message.type === 'warning') warn(message.message);
    else thread.handleMessage(message);
  });
  const send = (command: FeedCommand): void => port.postMessage(command);
  return {
    readers: tasks.map((_, input) => ({
      write(text, onUsed) {
        usedCallbacks[input]?.push(onUsed);
        send({ type: 'text', input, text });
      },
      end: () => send({ type: 'end', input }),
      lines: () => thread.lines(input),
    })),
    close: () => thread.close(),
  };
}

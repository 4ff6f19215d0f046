import { Worker } from 'node:worker_threads';
import type { TimedLines } from '../../../market/lines/line-buffer.js';
import { LineThread } from '../../threads/line-thread.js';
import { THREAD_LIMITS, type ThreadJobHandle } from '../../threads/thread-pool.js';
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

/** Starts a thread that runs `FeedTask`s. */
export function startFeedThread(): Worker {
  return new Worker(new URL('./feed-worker.js', import.meta.url), { resourceLimits: THREAD_LIMITS });
}

/** @param job handle of the tasks' job in its thread. */
export function readFeedJob(tasks: readonly FeedTask[], job: ThreadJobHandle): FeedJob {
  const { port } = job;
  const thread = new LineThread(job, tasks.length);
  /** Callbacks for the texts that each task has not used yet, in order. */
  const usedCallbacks = tasks.map((): (() => void)[] => []);
  port.on('message', (message: FeedThreadMessage) => {
    if (message.type === 'used') usedCallbacks[message.input]?.shift()?.();
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
    close: () => job.close(),
  };
}

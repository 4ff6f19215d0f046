import { Worker } from 'node:worker_threads';
import { MixedMessage } from '../../../dialects/symbol-shares.js';
import { LineThread } from '../../threads/line-thread.js';
import type { TransferredLines } from '../../threads/send-lines.js';
import { THREAD_LIMITS, type ThreadJobHandle } from '../../threads/thread-pool.js';
import type { FeedText } from '../feed-text.js';
import type { FeedCommand, FeedTask, FeedThreadMessage } from './feed-worker.js';

/** One that parses and normalizes the messages of a source, or a share of them, in another thread. */
export interface FeedReader {
  /** Gives it more text. @param onUsed called when it needs the text no more. */
  write(text: FeedText, onUsed: () => void): void;
  /** There is no more text. */
  end(): void;
  /**
   * Its lines, to be gone through once. A buffer is good until the next is asked for.
   * @throws as `writeFeedLines`.
   */
  lines(): AsyncIterable<TransferredLines>;
}

export interface FeedJob {
  /** One for each task. */
  readonly readers: readonly FeedReader[];
  /** Whoever waits for lines gets an error. */
  close(): void;
}

/** A thread for sources, or shares of them (`FeedTask`s). */
export function startFeedThread(): Worker {
  return new Worker(new URL('./feed-worker.js', import.meta.url), { resourceLimits: THREAD_LIMITS });
}

/** @param job of the tasks, on its thread. */
export function readFeedJob(tasks: readonly FeedTask[], job: ThreadJobHandle): FeedJob {
  const { port } = job;
  const thread = new LineThread(job, tasks.length);
  /** Of each task: who waits for the texts that it has, in their order. */
  const waiting = tasks.map((): (() => void)[] => []);
  port.on('message', (answer: FeedThreadMessage) => {
    if (answer.answer === 'used') waiting[answer.at]?.shift()?.();
    else if (answer.answer === 'mixed') thread.fail(answer.at, new MixedMessage());
    else thread.take(answer);
  });
  const order = (message: FeedCommand): void => port.postMessage(message);
  return {
    readers: tasks.map((_, at) => ({
      write(text, onUsed) {
        waiting[at]?.push(onUsed);
        order({ order: 'text', at, text });
      },
      end: () => order({ order: 'end', at }),
      lines: () => thread.lines(at),
    })),
    close: () => job.close(),
  };
}

import { Worker } from 'node:worker_threads';
import { TickhaulError } from '../../../base/errors.js';
import { Queue } from '../../../base/queue.js';
import type { TimedLines } from '../../../market/lines/line-buffer.js';
import { type Exchange, exchangeOf } from '../../handover.js';
import type { JobSide } from '../../threads/threads.js';
import { transferables } from '../../threads/transfer.js';
import { FeedTextBuffer } from '../feed-text.js';
import type { FeedAnswer, FeedOrder } from './feed-worker.js';

/** Texts of a source that are on their way to the thread, at most. */
const TEXTS = 3;

/** Gives the text of a source; throws in its turn. */
export type ReadText = (exchange: Exchange<FeedTextBuffer>) => Promise<void>;

/** A thread that parses and normalizes the messages of sources (`FeedSource`s), whose text this thread gives it. */
export function startFeedThread(): Worker {
  return new Worker(new URL('./feed-worker.js', import.meta.url));
}

/** The lines of some sources. */
export interface FeedLinesOf {
  /** Those of one source, to be gone through once. A buffer is good until the next is asked for. */
  lines(at: number): AsyncIterable<TimedLines>;
  /** Whoever waits for lines or gives text gets an error; to be called once what `read` waits for is broken off. */
  close(): Promise<void>;
}

/** @param read of each source of the job; begun when its lines are first asked for. */
export function exchangeFeeds(job: JobSide, read: readonly ReadText[]): FeedLinesOf {
  const { port } = job;
  const states = read.map(() => ({
    lines: new Queue<TimedLines>(),
    free: new Queue(Array.from({ length: TEXTS }, () => new FeedTextBuffer())),
    reading: Promise.resolve(),
    error: undefined as unknown,
  }));
  const order = (message: FeedOrder, buffers: readonly ArrayBuffer[] = []): void => {
    port.postMessage(message, buffers);
  };
  job.onEnd((error) => {
    for (const { lines, free } of states) {
      lines.end(error);
      free.end();
    }
  });
  port.on('message', (answer: FeedAnswer) => {
    const state = states[answer.at];
    if (!state) return;
    const { lines, free } = state;
    if (answer.answer === 'used') return free.push(new FeedTextBuffer(answer.text));
    if (answer.answer === 'lines') return lines.push(answer.lines);
    // What reading threw comes after the lines of all that it read.
    if (answer.answer === 'end') lines.end(state.error);
    else if (answer.answer === 'failed')
      lines.end(new TickhaulError(answer.error.code, answer.error.message, answer.error));
    else lines.end(answer.error);
    free.end();
  });

  const begin = async (at: number): Promise<void> => {
    const state = states[at];
    if (!state) return;
    const push = ({ bytes, length }: FeedTextBuffer): void => {
      order({ order: 'text', at, text: { bytes, length } }, [bytes.buffer as ArrayBuffer]);
    };
    try {
      await read[at]?.(exchangeOf({ push }, state.free));
    } catch (error) {
      state.error = error;
    }
    order({ order: 'end', at });
  };
  return {
    async *lines(at) {
      const state = states[at];
      if (!state) return;
      state.reading = begin(at);
      for (let lines = await state.lines.next(); lines !== undefined; lines = await state.lines.next()) {
        yield lines;
        order({ order: 'used', at, lines }, transferables(lines) as ArrayBuffer[]);
      }
    },
    async close() {
      job.close();
      await Promise.all(states.map(({ reading }) => reading));
    },
  };
}

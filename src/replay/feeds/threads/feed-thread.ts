import { Worker } from 'node:worker_threads';
import { TickhaulError } from '../../../base/errors.js';
import { Queue } from '../../../base/queue.js';
import type { TimedLines } from '../../../market/lines/line-buffer.js';
import { type Exchange, exchangeOf } from '../../handover.js';
import { transferables } from '../../threads/transfer.js';
import { FeedTextBuffer } from '../feed-text.js';
import type { FeedSource } from '../types.js';
import type { FeedAnswer, FeedOrder } from './feed-worker.js';

/** Texts of a source that are on their way to the thread, at most. */
const TEXTS = 3;

/** Gives the text of a source; throws in its turn. */
export type ReadText = (exchange: Exchange<FeedTextBuffer>) => Promise<void>;

/** A thread that parses and normalizes the messages of some sources, whose text this thread gives it. */
export interface FeedThread {
  /** The lines of one source, to be gone through once. A buffer is good until the next is asked for. */
  lines(at: number): AsyncIterable<TimedLines>;
  /** Whoever waits for lines or gives text gets an error; to be called once what `read` waits for is broken off. */
  close(): Promise<void>;
}

/** @param read of each source; begun when its lines are first asked for. */
export function startFeedThread(sources: readonly FeedSource[], read: readonly ReadText[]): FeedThread {
  const worker = new Worker(new URL('./feed-worker.js', import.meta.url), { workerData: sources });
  const states = sources.map(() => ({
    lines: new Queue<TimedLines>(),
    free: new Queue(Array.from({ length: TEXTS }, () => new FeedTextBuffer())),
    reading: Promise.resolve(),
    error: undefined as unknown,
  }));
  const order = (message: FeedOrder, buffers: readonly ArrayBuffer[] = []): void => {
    worker.postMessage(message, buffers);
  };
  const endAll = (error: unknown): void => {
    for (const { lines, free } of states) {
      lines.end(error);
      free.end();
    }
  };
  worker.on('message', (answer: FeedAnswer) => {
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
  worker.on('error', endAll);
  worker.on('exit', () => endAll(new Error('the thread of some feeds ended')));

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
      endAll(new TickhaulError('interrupted', 'the replay was broken off'));
      await Promise.all(states.map(({ reading }) => reading));
      await worker.terminate();
    },
  };
}

import { Worker } from 'node:worker_threads';
import { TickhaulError } from '../../../base/errors.js';
import { Queue } from '../../../base/queue.js';
import type { TimedLines } from '../../../market/lines/line-buffer.js';
import { type Exchange, exchangeOf } from '../../handover.js';
import type { OpenTask, Thread } from '../../threads/threads.js';
import { transferables } from '../../threads/transfer.js';
import { FeedTextBuffer } from '../feed-text.js';
import type { FeedSource } from '../types.js';
import type { FeedAnswer, FeedOrder } from './feed-worker.js';

/** Texts of a source that are on their way to the thread, at most. */
const TEXTS = 3;

/** Gives the text of a source; throws in its turn. */
export type ReadText = (exchange: Exchange<FeedTextBuffer>) => Promise<void>;

/** Some sources of a replay. */
export interface FeedTask {
  readonly sources: readonly FeedSource[];
  /** Of each source; begun when its lines are first asked for. */
  readonly read: readonly ReadText[];
}

/** The lines of some sources, whose text this thread gives. */
export interface FeedSourceLines extends OpenTask {
  /** The lines of one source, to be gone through once. A buffer is good until the next is asked for. */
  lines(at: number): AsyncIterable<TimedLines>;
  /** Whoever waits for lines or gives text gets an error; to be called once what `read` waits for is broken off. */
  close(): Promise<void>;
}

/** One source, on this side. */
interface State {
  readonly lines: Queue<TimedLines>;
  /** Texts that nobody needs. */
  readonly free: Queue<FeedTextBuffer>;
  reading: Promise<void>;
  error: unknown;
}

/** A thread that parses and normalizes messages of sources. */
export function startFeedThread(): Thread<FeedTask, FeedSourceLines> {
  const worker = new Worker(new URL('./feed-worker.js', import.meta.url));
  const tasks = new Map<number, readonly State[]>();
  let opened = 0;
  const order = (message: FeedOrder, buffers: readonly ArrayBuffer[] = []): void => {
    worker.postMessage(message, buffers);
  };
  const endAll = (error: unknown): void => {
    for (const states of tasks.values()) endStates(states, error);
    tasks.clear();
  };
  worker.on('message', (answer: FeedAnswer) => {
    const state = tasks.get(answer.task)?.[answer.at];
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
  const ended = new Promise<void>((resolve) => {
    worker.on('exit', () => {
      endAll(new Error('the thread of some feeds ended'));
      resolve();
    });
  });
  return {
    ended,
    open({ sources, read }) {
      const task = opened++;
      const states = sources.map(newState);
      tasks.set(task, states);
      order({ order: 'open', task, sources });
      const begin = async (at: number, state: State): Promise<void> => {
        const push = ({ bytes, length }: FeedTextBuffer): void => {
          order({ order: 'text', task, at, text: { bytes, length } }, [bytes.buffer as ArrayBuffer]);
        };
        try {
          await read[at]?.(exchangeOf({ push }, state.free));
        } catch (error) {
          state.error = error;
        }
        order({ order: 'end', task, at });
      };
      return {
        async *lines(at) {
          const state = states[at];
          if (!state) return;
          state.reading = begin(at, state);
          for (let lines = await state.lines.next(); lines !== undefined; lines = await state.lines.next()) {
            yield lines;
            order({ order: 'used', task, at, lines }, transferables(lines) as ArrayBuffer[]);
          }
        },
        async close() {
          endStates(states, brokenOff());
          await Promise.all(states.map(({ reading }) => reading));
          if (tasks.delete(task)) order({ order: 'close', task });
        },
      };
    },
    close() {
      endAll(brokenOff());
      return worker.terminate();
    },
  };
}

function newState(): State {
  return {
    lines: new Queue(),
    free: new Queue(Array.from({ length: TEXTS }, () => new FeedTextBuffer())),
    reading: Promise.resolve(),
    error: undefined,
  };
}

function endStates(states: readonly State[], error: unknown): void {
  for (const { lines, free } of states) {
    lines.end(error);
    free.end();
  }
}

function brokenOff(): TickhaulError {
  return new TickhaulError('interrupted', 'the replay was broken off');
}

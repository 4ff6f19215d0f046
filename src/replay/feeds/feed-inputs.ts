import { availableParallelism } from 'node:os';
import { US_A_MINUTE } from '../../dataset/minutes.js';
import type { FeedRun } from '../../feeds/types.js';
import { createHandover } from '../handover.js';
import type { Inputs } from '../inputs.js';
import { Threads } from '../threads/threads.js';
import { FeedTextBuffer } from './feed-text.js';
import { feedLineBuffers, makeFeedLines } from './make-feed-lines.js';
import { readFeeds } from './read-feeds.js';
import { exchangeFeeds, type FeedLinesOf, type ReadText, startFeedThread } from './threads/feed-thread.js';
import type { FeedSource, OpenSource } from './types.js';

/** What the replays of a process share. */
export type FeedThreads = Threads<readonly FeedSource[]>;

export interface FeedInputsOptions {
  readonly threads: FeedThreads;
  readonly run: FeedRun;
  readonly sources: readonly OpenSource[];
  /** Told how many minutes were read, of all sources together. */
  readonly onMinutes: (minutes: number) => void;
}

/** What merges and writes keeps up with no more. */
const MOST_THREADS = 8;
/** A thread takes a while to start: what is shorter is done by then. */
const WORTH_THREADS_US = 15 * US_A_MINUTE;

export function createFeedThreads(): FeedThreads {
  return new Threads(Math.min(availableParallelism(), MOST_THREADS), startFeedThread);
}

/**
 * Sources as inputs of the merge, one each. This thread asks for slices and cuts their text; other threads parse and
 * normalize it, in turns: thread 1 has the first source, thread 2 the second, and so on.
 */
export function openFeedInputs({ run, sources, onMinutes, threads }: FeedInputsOptions): Inputs {
  const stop = new AbortController();
  const read = sources.map(
    ({ feeds }): ReadText =>
      (exchange) =>
        readFeeds({ run, feeds, onMinutes, stopped: stop.signal }, exchange),
  );
  const time = sources.reduce((sum, { source: { period } }) => sum + period.end - period.start, 0);
  if (time < WORTH_THREADS_US) {
    return { lines: readHere(sources, read), close: async () => stop.abort() };
  }
  const count = Math.min(sources.length, threads.most);
  const turns = Array.from({ length: count }, (_, turn) => turn);
  const open = threads
    .begin(turns.map((turn) => sources.filter((_, at) => at % count === turn).map(({ source }) => source)))
    .map((job, turn) =>
      exchangeFeeds(
        job,
        read.filter((_, at) => at % count === turn),
      ),
    );
  return {
    lines: sources.map((_, at) => (open[at % count] as FeedLinesOf).lines(Math.floor(at / count))),
    async close() {
      stop.abort();
      await Promise.all(open.map((one) => one.close()));
    },
  };
}

function readHere(sources: readonly OpenSource[], read: readonly ReadText[]): Inputs['lines'] {
  return sources.map(({ source }, at) =>
    createHandover(feedLineBuffers(), (exchange) => {
      const texts = createHandover([new FeedTextBuffer(), new FeedTextBuffer()], read[at] as ReadText);
      return makeFeedLines(source, texts, exchange);
    }),
  );
}

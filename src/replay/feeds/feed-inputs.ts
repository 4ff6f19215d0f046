import { availableParallelism } from 'node:os';
import { US_PER_MINUTE, usRangeToMinutes } from '../../dataset/minute.js';
import { SymbolShares } from '../../dialects/symbol-shares.js';
import { isProvisional } from '../../feeds/cache/slice-index.js';
import type { FeedRun } from '../../feeds/feed-run.js';
import { createHandover } from '../handover.js';
import type { MergeInputs } from '../series-inputs.js';
import { createReplayThreads } from '../threads/line-thread.js';
import type { ReadText } from './distribute-texts.js';
import type { FeedSource, OpenSource } from './feed-source.js';
import { FeedTextBuffer } from './feed-text.js';
import { createMonotonicCounter } from './monotonic-counter.js';
import { readFeeds } from './read-feeds.js';
import { readLinesWithOneReader, readLinesWithReaders } from './source-lines.js';
import {
  type FeedJob,
  type FeedReader,
  type FeedThreads,
  startFeedJob,
  startFeedThread,
} from './threads/feed-thread.js';
import type { FeedTask } from './threads/feed-worker.js';
import { createFeedLineBuffers, writeFeedLines } from './write-feed-lines.js';

export interface FeedInputsOptions {
  readonly run: FeedRun;
  readonly sources: readonly OpenSource[];
  /** Called with the number of minutes read, of all sources together. */
  readonly onMinutes: (minutes: number) => void;
  readonly threads: FeedThreads;
}

/** The merge and the writes in the main thread cannot keep more threads busy. */
const MAX_THREADS = 8;
/** Starting a thread takes longer than replaying a shorter period. */
const MIN_PERIOD_FOR_THREADS_US = 15 * US_PER_MINUTE;
/** Maximum readers of one source; each one adds to the memory in use. */
const MAX_SHARES = 3;

/** @param processors maximum number of threads; defaults to the number of processors. */
export function createFeedThreads(processors = availableParallelism()): FeedThreads {
  return createReplayThreads(Math.min(processors, MAX_THREADS), startFeedThread);
}

/** How a source is read. */
interface SourceReading {
  readonly open: OpenSource;
  /** Undefined if one reader reads the whole source. */
  readonly shares: SymbolShares | undefined;
  /** Starts to read from the beginning. */
  readonly read: (shares?: SymbolShares) => ReadText;
  /** Size of each of its buffers. */
  readonly bufferBytes: number;
}

/**
 * Opens sources as inputs of the merge, one for each. This thread requests slices and splits their text;
 * other threads parse and normalize it. If there are more idle threads than sources, several threads share a
 * source whose messages are about one symbol each.
 */
export function openFeedInputs({ run, sources, onMinutes, threads }: FeedInputsOptions): MergeInputs {
  const stop = new AbortController();
  const { idleThreads } = threads;
  const readings = sources.map((open): SourceReading => {
    const count = createMonotonicCounter(onMinutes);
    const shares = idleThreads > sources.length ? createShares(open, idleThreads) : undefined;
    // Each of several readers has its buffers, and the merged lines need buffers too.
    const bufferBytes = run.bufferBytes / (shares ? 2 : 1);
    const read = (shares?: SymbolShares): ReadText => {
      const input = { run, feeds: open.feeds, onMinutes: count(), stopped: stop.signal, bufferBytes, shares };
      return (swap) => readFeeds(input, swap);
    };
    return { open, read, shares, bufferBytes };
  });
  const periodUs = sources.reduce((sum, { source: { period } }) => sum + period.end - period.start, 0);
  if (periodUs < MIN_PERIOD_FOR_THREADS_US) {
    return { lines: readings.map(readInThisThread), close: async () => stop.abort() };
  }
  return readInThreads(readings, threads, stop);
}

/** A provisional slice may have other lines when it is read again, so it gets a single reader. */
function createShares({ source, isDivisible }: OpenSource, maxShares: number): SymbolShares | undefined {
  const { exchange, symbols, period } = source;
  if (!isDivisible || isProvisional(usRangeToMinutes(period), Date.now())) return undefined;
  const shares = new SymbolShares(exchange, symbols, Math.min(maxShares, MAX_SHARES));
  return shares.count > 1 ? shares : undefined;
}

function readInThisThread({
  open: { source },
  read,
  bufferBytes,
}: SourceReading): MergeInputs['lines'][number] {
  return createHandover(createFeedLineBuffers(bufferBytes), (swap) => {
    const texts = createHandover([new FeedTextBuffer(bufferBytes), new FeedTextBuffer(bufferBytes)], read());
    return writeFeedLines(source, texts, swap, bufferBytes);
  });
}

/** Assigns readers to threads round-robin: the first to thread 1, the second to thread 2, and so on. */
function readInThreads(
  readings: readonly SourceReading[],
  threads: FeedThreads,
  stop: AbortController,
): MergeInputs {
  const all = readings.flatMap((reading) => createTasks(reading).map((task) => ({ reading, task })));
  const count = Math.min(all.length, threads.maxThreads);
  const jobs: FeedJob[] = [];
  const startTasks = (tasks: readonly (readonly FeedTask[])[]): void => {
    for (const jobTasks of tasks) jobs.push(startFeedJob(threads, jobTasks));
  };
  startTasks(
    Array.from({ length: count }, (_, turn) =>
      all.filter((_one, at) => at % count === turn).map(({ task }) => task),
    ),
  );
  const readers = all.map(({ reading }, at) => {
    const { readers } = jobs[at % count] as FeedJob;
    return { reading, reader: readers[Math.floor(at / count)] as FeedReader };
  });
  const startAlone = (source: FeedSource, bufferBytes: number): FeedReader => {
    stop.signal.throwIfAborted();
    startTasks([[{ source, bufferBytes }]]);
    return jobs.at(-1)?.readers[0] as FeedReader;
  };
  return {
    lines: readings.map((reading) => {
      const { open, shares, read, bufferBytes } = reading;
      const own = readers.filter((entry) => entry.reading === reading).map(({ reader }) => reader);
      if (shares === undefined) return readLinesWithOneReader(read(), own[0] as FeedReader, bufferBytes);
      const alone = (): ReturnType<typeof readLinesWithOneReader> =>
        readLinesWithOneReader(read(), startAlone(open.source, bufferBytes), bufferBytes);
      return readLinesWithReaders(read(shares), own, alone, bufferBytes);
    }),
    async close() {
      stop.abort();
      for (const job of jobs) job.close();
    },
  };
}

function createTasks({ open: { source }, shares, bufferBytes }: SourceReading): readonly FeedTask[] {
  if (shares === undefined) return [{ source, bufferBytes }];
  const { count } = shares;
  return Array.from({ length: count }, (_, index) => ({ source, share: { index, count }, bufferBytes }));
}

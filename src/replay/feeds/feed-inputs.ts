import { availableParallelism } from 'node:os';
import { US_PER_MINUTE, usRangeToMinutes } from '../../dataset/minute.js';
import { SymbolShares } from '../../dialects/symbol-shares.js';
import { isProvisional } from '../../feeds/cache/slice-index.js';
import type { FeedRun } from '../../feeds/feed-run.js';
import { createHandover } from '../handover.js';
import type { MergeInputs } from '../series-inputs.js';
import { ThreadPool } from '../threads/thread-pool.js';
import type { ReadText } from './distribute-texts.js';
import type { FeedSource, OpenSource } from './feed-source.js';
import { FeedTextBuffer } from './feed-text.js';
import { createMonotonicCounter } from './monotonic-counter.js';
import { readFeeds } from './read-feeds.js';
import { readLinesWithOneReader, readLinesWithReaders } from './source-lines.js';
import { type FeedJob, type FeedReader, readFeedJob, startFeedThread } from './threads/feed-thread.js';
import type { FeedTask } from './threads/feed-worker.js';
import { createFeedLineBuffers, writeFeedLines } from './write-feed-lines.js';

/** What the replays of a process share. */
export type FeedThreads = ThreadPool<readonly FeedTask[]>;

export interface FeedInputsOptions {
  readonly run: FeedRun;
  readonly sources: readonly OpenSource[];
  /** Told how many minutes were read, of all sources together. */
  readonly onMinutes: (minutes: number) => void;
  readonly threads: FeedThreads;
}

/** What merges and writes keeps up with no more. */
const MAX_THREADS = 8;
/** A thread takes a while to start: what is shorter is done by then. */
const MIN_PERIOD_FOR_THREADS_US = 15 * US_PER_MINUTE;
/** Readers of one source, whose memory adds up. */
const MAX_SHARES = 3;

/** @param processors threads at once; left out, as many as there are processors. */
export function createFeedThreads(processors = availableParallelism()): FeedThreads {
  return new ThreadPool(Math.min(processors, MAX_THREADS), startFeedThread);
}

/** A source with how it is read. */
interface SourceReading {
  readonly open: OpenSource;
  /** Undefined where one reads all of it. */
  readonly shares: SymbolShares | undefined;
  /** Begins to read from the start. */
  readonly read: (shares?: SymbolShares) => ReadText;
  /** Of each of its buffers. */
  readonly bufferBytes: number;
}

/**
 * Sources as inputs of the merge, one each. This thread asks for slices and cuts their text; other threads parse and
 * normalize it. Where there are more idle threads than sources, several threads share those whose messages are about one
 * symbol each.
 */
export function openFeedInputs({ run, sources, onMinutes, threads }: FeedInputsOptions): MergeInputs {
  const stop = new AbortController();
  const { idle } = threads;
  const readings = sources.map((open): SourceReading => {
    const count = createMonotonicCounter(onMinutes);
    const shares = idle > sources.length ? createShares(open, idle) : undefined;
    // Each reader has buffers of its own, and so have the merged lines of several.
    const bufferBytes = run.bufferBytes / (shares ? 2 : 1);
    const read = (shares?: SymbolShares): ReadText => {
      const input = { run, feeds: open.feeds, onMinutes: count(), stopped: stop.signal, bufferBytes, shares };
      return (exchange) => readFeeds(input, exchange);
    };
    return { open, read, shares, bufferBytes };
  });
  const time = sources.reduce((sum, { source: { period } }) => sum + period.end - period.start, 0);
  if (time < MIN_PERIOD_FOR_THREADS_US) {
    return { lines: readings.map(readInThisThread), close: async () => stop.abort() };
  }
  return readInThreads(readings, threads, stop);
}

/** Slices that are still to change may have other lines when they are read again, so those are for one reader. */
function createShares({ source, isDivisible }: OpenSource, most: number): SymbolShares | undefined {
  const { exchange, symbols, period } = source;
  if (!isDivisible || isProvisional(usRangeToMinutes(period), Date.now())) return undefined;
  const shares = new SymbolShares(exchange, symbols, Math.min(most, MAX_SHARES));
  return shares.count > 1 ? shares : undefined;
}

function readInThisThread({
  open: { source },
  read,
  bufferBytes,
}: SourceReading): MergeInputs['lines'][number] {
  return createHandover(createFeedLineBuffers(bufferBytes), (exchange) => {
    const texts = createHandover([new FeedTextBuffer(bufferBytes), new FeedTextBuffer(bufferBytes)], read());
    return writeFeedLines(source, texts, exchange, bufferBytes);
  });
}

/** Readers go to threads in turns: the first to thread 1, the second to thread 2, and so on. */
function readInThreads(
  readings: readonly SourceReading[],
  threads: FeedThreads,
  stop: AbortController,
): MergeInputs {
  const all = readings.flatMap((reading) => createTasks(reading).map((task) => ({ reading, task })));
  const count = Math.min(all.length, threads.maxThreads);
  const jobs: FeedJob[] = [];
  const begin = (tasks: readonly (readonly FeedTask[])[]): void => {
    for (const [at, job] of threads.begin(tasks).entries()) jobs.push(readFeedJob(tasks[at] ?? [], job));
  };
  begin(
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
    begin([[{ source, bufferBytes }]]);
    return jobs.at(-1)?.readers[0] as FeedReader;
  };
  return {
    lines: readings.map((reading) => {
      const { open, shares, read, bufferBytes } = reading;
      const its = readers.filter((one) => one.reading === reading).map(({ reader }) => reader);
      if (shares === undefined) return readLinesWithOneReader(read(), its[0] as FeedReader, bufferBytes);
      const alone = (): ReturnType<typeof readLinesWithOneReader> =>
        readLinesWithOneReader(read(), startAlone(open.source, bufferBytes), bufferBytes);
      return readLinesWithReaders(read(shares), its, alone, bufferBytes);
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

import { availableParallelism } from 'node:os';
import { US_PER_MINUTE } from '../../dataset/minute.js';
import type { FeedRun } from '../../feeds/feed-run.js';
import { createHandover } from '../handover.js';
import type { MergeInputs } from '../series-inputs.js';
import { createReplayThreads } from '../threads/line-thread.js';
import type { FeedSource, OpenSource } from './feed-source.js';
import { FeedTextBuffer } from './feed-text.js';
import { readFeeds } from './read-feeds.js';
import { type ReadText, readSourceLines } from './read-source-lines.js';
import { type FeedReader, type FeedThreads, startFeedJob, startFeedThread } from './threads/feed-thread.js';
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

/** @param processors maximum number of threads; defaults to the number of processors. */
export function createFeedThreads(processors = availableParallelism()): FeedThreads {
  return createReplayThreads(Math.min(processors, MAX_THREADS), startFeedThread);
}

/** A source and how its text is read. */
interface SourceReading {
  readonly source: FeedSource;
  readonly readText: ReadText;
}

/**
 * Opens sources as inputs of the merge, one for each. This thread requests slices and splits their text;
 * other threads parse and normalize it.
 */
export function openFeedInputs({ run, sources, onMinutes, threads }: FeedInputsOptions): MergeInputs {
  const stop = new AbortController();
  const { bufferBytes } = run;
  const readings = sources.map(({ source, feeds }): SourceReading => {
    const input = { run, feeds, onMinutes, stopped: stop.signal };
    return { source, readText: (swap) => readFeeds(input, swap) };
  });
  const warn = (message: string): void => run.emit({ event: 'warning', message });
  const periodUs = sources.reduce((sum, { source: { period } }) => sum + period.end - period.start, 0);
  if (periodUs < MIN_PERIOD_FOR_THREADS_US) {
    const lines = readings.map((reading) => readInThisThread(reading, bufferBytes, warn));
    return { lines, close: async () => stop.abort() };
  }
  const { lines, close } = readInThreads(readings, threads, bufferBytes, warn);
  return {
    lines,
    async close() {
      stop.abort();
      close();
    },
  };
}

function readInThisThread(
  { source, readText }: SourceReading,
  bufferBytes: number,
  warn: (message: string) => void,
): MergeInputs['lines'][number] {
  return createHandover(createFeedLineBuffers(bufferBytes), (swap) => {
    const texts = createHandover(
      [new FeedTextBuffer(bufferBytes), new FeedTextBuffer(bufferBytes)],
      readText,
    );
    return writeFeedLines(source, texts, swap, bufferBytes, warn);
  });
}

/** Assigns sources to threads round-robin: the first to thread 1, the second to thread 2, and so on. */
function readInThreads(
  readings: readonly SourceReading[],
  threads: FeedThreads,
  bufferBytes: number,
  warn: (message: string) => void,
): { readonly lines: MergeInputs['lines']; readonly close: () => void } {
  const count = Math.min(readings.length, threads.maxThreads);
  const tasks = Array.from({ length: count }, (_, turn) =>
    readings.filter((_one, at) => at % count === turn).map(({ source }) => ({ source, bufferBytes })),
  );
  const jobs = tasks.map((jobTasks) => startFeedJob(threads, jobTasks, warn));
  return {
    lines: readings.map(({ readText }, at) =>
      readSourceLines(readText, jobs[at % count]?.readers[Math.floor(at / count)] as FeedReader, bufferBytes),
    ),
    close() {
      for (const job of jobs) job.close();
    },
  };
}

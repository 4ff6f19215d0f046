import { availableParallelism } from 'node:os';
import { WorkerThread } from '../../base/worker-thread.js';
import { US_PER_MINUTE } from '../../dataset/minute.js';
import type { FeedRun } from '../../feeds/feed-run.js';
import { createHandover } from '../handover.js';
import { createReplayThreads, type ReplayThreads, startLineJobs, THREAD_LIMITS } from '../line-jobs.js';
import type { MergeInputs } from '../series-inputs.js';
import type { FeedSource, OpenSource } from './feed-source.js';
import { FeedTextBuffer } from './feed-text.js';
import type { FeedJobEvent, FeedMessage, FeedTask } from './feed-worker.js';
import { readFeeds } from './read-feeds.js';
import { type FeedReader, type ReadText, readSourceLines } from './read-source-lines.js';
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

/** Threads that the replays of a process share. */
export type FeedThreads = ReplayThreads<FeedTask, FeedJobEvent, FeedMessage>;

/** @param processors maximum number of threads; defaults to the number of processors. */
export function createFeedThreads(processors = availableParallelism()): FeedThreads {
  return createReplayThreads(
    Math.min(processors, MAX_THREADS),
    () =>
      new WorkerThread(new URL('./feed-worker.js', import.meta.url), {
        name: 'feed replay',
        resourceLimits: THREAD_LIMITS,
      }),
  );
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
  const periodUs = sources.reduce((sum, { source: { period } }) => sum + period.end - period.start, 0);
  if (periodUs < MIN_PERIOD_FOR_THREADS_US) {
    const lines = readings.map((reading) => readInThisThread(reading, bufferBytes));
    return { lines, close: async () => stop.abort() };
  }
  const { lines, close } = readInThreads(readings, threads, bufferBytes);
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
): MergeInputs['lines'][number] {
  return createHandover(createFeedLineBuffers(bufferBytes), (swap) => {
    const texts = createHandover(
      [new FeedTextBuffer(bufferBytes), new FeedTextBuffer(bufferBytes)],
      readText,
    );
    return writeFeedLines(source, texts, swap, bufferBytes);
  });
}

/** Assigns sources to threads round-robin: the first to thread 1, the second to thread 2, and so on. */
function readInThreads(
  readings: readonly SourceReading[],
  threads: FeedThreads,
  bufferBytes: number,
): { readonly lines: MergeInputs['lines']; readonly close: () => void } {
  const count = Math.min(readings.length, threads.maxThreads);
  const tasks = Array.from({ length: count }, (_, turn) =>
    readings.filter((_one, at) => at % count === turn).map(({ source }) => ({ source, bufferBytes })),
  );
  const jobs = tasks.map((threadTasks) => startFeedJobs(threads, threadTasks));
  return {
    lines: readings.map(({ readText }, at) =>
      readSourceLines(readText, jobs[at % count]?.readers[Math.floor(at / count)] as FeedReader, bufferBytes),
    ),
    close() {
      for (const job of jobs) job.close();
    },
  };
}

/** Starts jobs in one thread, with a reader for each. */
function startFeedJobs(
  threads: FeedThreads,
  tasks: readonly FeedTask[],
): { readonly readers: readonly FeedReader[]; readonly close: () => void } {
  /** Callbacks for the texts that each job has not used yet, in order. */
  const usedCallbacks = tasks.map((): (() => void)[] => []);
  const { jobs, close } = startLineJobs(threads, tasks, (_, at) => usedCallbacks[at]?.shift()?.());
  const readers = jobs.map(
    ({ post, lines }, at): FeedReader => ({
      write(text, onUsed) {
        usedCallbacks[at]?.push(onUsed);
        post({ text });
      },
      end: () => post({ text: undefined }),
      lines,
    }),
  );
  return { readers, close };
}

import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { AsyncQueue } from '../../base/wait.js';
import { WorkerThread } from '../../base/worker-thread.js';
import { US_PER_MINUTE } from '../../day-files/day.js';
import type { TimedLines } from '../../market/lines/line-buffer.js';
import type { FeedReadContext } from '../../raw-feeds/feed-read-context.js';
import {
  createHandover,
  createReplayThreads,
  createSwapBuffer,
  type ReplayThreads,
  type SwapBuffer,
  startLineJobs,
  THREAD_LIMITS,
} from '../line-jobs.js';
import { type MergeOptions, mergeLines } from '../replay-series.js';
import type { MergeInputs } from '../series-inputs.js';
import type { FeedJobEvent, FeedMessage, FeedTask } from './feed-worker.js';
import type { FeedSource, OpenSource } from './open-feed-sources.js';
import { type FeedText, FeedTextBuffer, readFeeds } from './read-feeds.js';
import { createFeedLineBuffers, writeFeedLines } from './write-feed-lines.js';

interface FeedReplayInput extends MergeOptions {
  readonly run: FeedReadContext;
  /** Shared with other replays of this process; if undefined, this replay creates its own threads. */
  readonly threads?: FeedThreads | undefined;
  /** Result of `openFeedSources`, in the order that breaks ties. */
  readonly sources: readonly OpenSource[];
  /** Called with the number of minutes read, of all sources together. */
  readonly onMinutes: (minutes: number) => void;
  /** Maximum number of own threads; defaults to the number of processors. */
  readonly processors?: number | undefined;
}

/**
 * Writes the normalized messages of exchanges' feeds, merged by local timestamp.
 * @throws TickhaulError after all earlier lines are written: `corrupt`, or the reason why a slice is
 * unavailable; the signal's reason after an abort; what the output throws.
 */
export async function replayFeeds(input: FeedReplayInput): Promise<void> {
  setMaxListeners(0, input.signal);
  const threads = input.threads ?? createFeedThreads(input.processors);
  try {
    const { writeBytes } = input.run;
    await mergeLines(openFeedInputs({ ...input, threads }), { ...input, writeBytes });
  } finally {
    if (!input.threads) await threads.close();
  }
}

interface FeedInputsOptions {
  readonly run: FeedReadContext;
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
function openFeedInputs({ run, sources, onMinutes, threads }: FeedInputsOptions): MergeInputs {
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
  const jobs = tasks.map((threadTasks) => startFeedJobs(threads, threadTasks, warn));
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
  warn: (message: string) => void,
): { readonly readers: readonly FeedReader[]; readonly close: () => void } {
  /** Callbacks for the texts that each job has not used yet, in order. */
  const usedCallbacks = tasks.map((): (() => void)[] => []);
  const { jobs, close } = startLineJobs(threads, tasks, (event, at) =>
    'warning' in event ? warn(event.warning) : usedCallbacks[at]?.shift()?.(),
  );
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

/** Parses and normalizes the messages of a source in another thread. */
interface FeedReader {
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

/** Maximum number of a source's text buffers in use. */
const TEXTS_IN_FLIGHT = 3;

/**
 * Reads the text of a source into swapped buffers; throws after all text before the error was handed over.
 */
type ReadText = (swap: SwapBuffer<FeedTextBuffer>) => Promise<void>;

/**
 * Reads the text of a source in this thread and its lines in another one.
 * @param bufferBytes initial size of each buffer of text.
 * @throws as `writeFeedLines`; what `readText` throws, after all lines.
 */
async function* readSourceLines(
  readText: ReadText,
  reader: FeedReader,
  bufferBytes: number,
): AsyncGenerator<TimedLines, void, undefined> {
  const free = new AsyncQueue(Array.from({ length: TEXTS_IN_FLIGHT }, () => new FeedTextBuffer(bufferBytes)));
  const push = (buffer: FeedTextBuffer): void => {
    const { bytes, length } = buffer;
    reader.write({ bytes, length }, () => free.push(buffer));
  };
  let failed: { readonly error: unknown } | undefined;
  const reading = readText(createSwapBuffer({ push }, free))
    .catch((error: unknown) => {
      failed = { error };
    })
    .finally(() => reader.end());
  try {
    yield* reader.lines();
    await reading;
    if (failed) throw failed.error;
  } finally {
    free.end();
    await reading;
  }
}

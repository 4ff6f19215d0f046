import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { Semaphore } from '../base/semaphore.js';
import { rejectOnAbort } from '../base/wait.js';
import { WorkerThread } from '../base/worker-thread.js';
import { MIN_BYTES_FOR_THREAD } from '../convert/threads/kernel-pool.js';
import { chooseInflateThreads } from '../gzip/read-source.js';
import { createLineMemories } from '../market/day-file/text-lines.js';
import type { TimedLines } from '../market/lines/line-buffer.js';
import type { Files, StoreSettings } from '../store/files.js';
import { openFiles } from '../store/open-files.js';
import {
  createHandover,
  createReplayThreads,
  type LineJob,
  type LineJobs,
  type ReplayThread,
  type ReplayThreads,
  startLineJobs,
  THREAD_LIMITS,
} from './line-jobs.js';
import type { Arrival, ReplaySeries } from './replay-request.js';
import type { SeriesJobEvent, SeriesTask, SeriesWorkerData } from './series-worker.js';
import { createLineBuffers, createSharedReading, writeSeriesLines } from './write-series-lines.js';

/** Bytes of text in memory, of all series of a replay together; their lines take about five times as much. */
const TEXT_BUDGET_BYTES = 8 * 1024 * 1024;
const MAX_TEXT_CHUNK_BYTES = 512 * 1024;
const MIN_TEXT_CHUNK_BYTES = 16 * 1024;
/** Minimum chunk if each replay has a separate budget. */
const MIN_OWN_CHUNK_BYTES = 4 * 1024;
const MAX_OPEN_FILES = 16;
/** The merge and the writes in the main thread cannot keep more threads busy. */
const MAX_THREADS = 8;

/** The inputs of the merge, one for each series. */
export interface MergeInputs {
  /**
   * Buffers of lines, each valid until the next one is requested. Each throws, after its lines, what
   * `writeSeriesLines` throws.
   */
  readonly lines: readonly AsyncIterable<TimedLines>[];
  /** Stops all reading; pending reads of lines fail or end. */
  close(): Promise<void>;
}

/**
 * The series of a replay in the order that breaks ties, and how to wait for their files. `warn` as in
 * `SharedReading`.
 */
export interface SeriesInput {
  readonly series: readonly ReplaySeries[];
  readonly arrival: Arrival;
  readonly warn: (message: string) => void;
  /** Bytes of text in memory, of all series together; by default all replays of a process share 8 MB. */
  readonly textBytes?: number | undefined;
}

/** Resources that the replays of a process share. */
export interface SeriesThreads {
  readonly threads: ReplayThreads<SeriesTask, SeriesJobEvent, never>;
  /** For files that are read in this thread. */
  readonly files: Files;
  /** Open replays; those that share one budget get less memory the more there are. */
  openReplays: number;
  close(): Promise<void>;
}

/**
 * @param store how the threads access object stores.
 * @param processors maximum number of threads; defaults to the number of processors.
 */
export function createSeriesThreads(
  store: StoreSettings | undefined,
  processors = availableParallelism(),
): SeriesThreads {
  const maxThreads = Math.min(processors, MAX_THREADS);
  const filesPerThread = Math.ceil(MAX_OPEN_FILES / maxThreads);
  const threads = createReplayThreads(maxThreads, () => startSeriesThread(filesPerThread, store));
  const files = openFiles(store);
  const close = async (): Promise<void> => {
    await threads.close();
    await files.close();
  };
  return { threads, files, openReplays: 0, close };
}

/**
 * Reads series in threads, assigned round-robin: the first series to thread 1, the second to thread 2, and so
 * on. Small series are read in this thread. Memory is bounded for any number of series: the more there are,
 * the smaller their buffers. Resolves when the files of the first day have arrived.
 * @throws TickhaulError why one of those files is unavailable; the signal's reason after an abort.
 */
export async function openSeriesInputs(
  input: SeriesInput,
  shared: SeriesThreads,
  signal: AbortSignal,
): Promise<MergeInputs> {
  // Each series adds a listener, so a large number of them is not a leak.
  setMaxListeners(0, signal);
  await waitForFirstDay(input, signal);
  const bounded = getTextChunkBytes(input, shared);
  const { lines, close } = (await shouldUseThreads(input, shared.files, signal))
    ? readInThreads(input, bounded, shared.threads, signal)
    : readInThisThread(input, bounded, shared.files, signal);
  shared.openReplays++;
  let isOpen = true;
  return {
    lines,
    close() {
      if (isOpen) shared.openReplays--;
      isOpen = false;
      return close();
    },
  };
}

function getTextChunkBytes({ series, textBytes }: SeriesInput, { openReplays }: SeriesThreads): number {
  if (textBytes !== undefined) return Math.max(MIN_OWN_CHUNK_BYTES, Math.floor(textBytes / series.length));
  const chunk = Math.floor(TEXT_BUDGET_BYTES / series.length / (openReplays + 1));
  return Math.min(MAX_TEXT_CHUNK_BYTES, Math.max(MIN_TEXT_CHUNK_BYTES, chunk));
}

/** The merge cannot start before the files of the first day have arrived. */
async function waitForFirstDay({ series, arrival }: SeriesInput, signal: AbortSignal): Promise<void> {
  const first = findFirstDay(series);
  for (const { day, path, isDownloading } of series.flatMap(({ files }) => files)) {
    if (isDownloading && day === first) await rejectOnAbort(arrival(path), signal);
  }
}

function findFirstDay(series: readonly ReplaySeries[]): number {
  const days = series.flatMap(({ files }) => files).map(({ day }) => day);
  return days.reduce((first, day) => Math.min(first, day), Number.POSITIVE_INFINITY);
}

function readInThisThread(
  { series, arrival, warn }: SeriesInput,
  textChunk: number,
  files: Files,
  signal: AbortSignal,
): MergeInputs {
  const stop = new AbortController();
  const anyOf = AbortSignal.any([signal, stop.signal]);
  setMaxListeners(0, anyOf);
  const memories = createLineMemories();
  const open = new Semaphore(MAX_OPEN_FILES);
  const reading = createSharedReading({ open, files, textChunk, arrival, warn, memories });
  return {
    lines: series.map((replayed) =>
      createHandover(createLineBuffers(textChunk), (swap) =>
        writeSeriesLines(replayed, reading, swap, anyOf),
      ),
    ),
    close: async () => stop.abort(),
  };
}

function readInThreads(
  { series, arrival, warn }: SeriesInput,
  textChunk: number,
  threads: SeriesThreads['threads'],
  signal: AbortSignal,
): MergeInputs {
  const count = Math.min(series.length, threads.maxThreads);
  // The threads and the merge.
  const inflateThreads = chooseInflateThreads(count + 1);
  const jobs = Array.from({ length: count }, (_, thread) => {
    const tasks = series
      .filter((_one, index) => index % count === thread)
      .map((replayed): SeriesTask => ({ series: replayed, textChunk, inflateThreads }));
    return startSeriesJobs(threads, tasks, { arrival, warn });
  });
  const close = async (): Promise<void> => {
    signal.removeEventListener('abort', close);
    for (const job of jobs) job.close();
  };
  signal.addEventListener('abort', close);
  return {
    lines: series.map((_, index) => {
      const job = jobs[index % count]?.jobs[Math.floor(index / count)] as LineJob<never>;
      return job.lines();
    }),
    close,
  };
}

/** Starts a thread that runs `SeriesTask`s. @param maxOpenFiles maximum number of open files in the thread. */
export function startSeriesThread(
  maxOpenFiles: number,
  store?: StoreSettings | undefined,
): ReplayThread<SeriesTask, SeriesJobEvent, never> {
  const workerData: SeriesWorkerData = { maxOpenFiles, store };
  return new WorkerThread(new URL('./series-worker.js', import.meta.url), {
    name: 'day file replay',
    resourceLimits: THREAD_LIMITS,
    workerData,
  });
}

/** Starts jobs in one thread, each of which works at most two buffers ahead. `arrival` waits for their files. */
export function startSeriesJobs(
  threads: SeriesThreads['threads'],
  tasks: readonly SeriesTask[],
  { arrival, warn }: Pick<SeriesInput, 'arrival' | 'warn'>,
): LineJobs<never> {
  return startLineJobs(threads, tasks, (event) =>
    'warning' in event ? warn(event.warning) : arrival(event.waitsFor),
  );
}

/** Estimates the total size: files that are not there yet count as the average of the others. */
async function shouldUseThreads(
  { series }: SeriesInput,
  files: Files,
  signal: AbortSignal,
): Promise<boolean> {
  let bytes = 0;
  let knownFiles = 0;
  let unknownFiles = 0;
  const first = findFirstDay(series);
  // Ignore errors here: reading the file reports them.
  const statBytes = async (path: string): Promise<number | undefined> =>
    (await files.stat(path, signal).catch(() => undefined))?.bytes;
  for (const { path, day, isDownloading, bytes: known } of series.flatMap(({ files }) => files)) {
    const size = known ?? (isDownloading && day > first ? undefined : await statBytes(path));
    if (size === undefined) unknownFiles++;
    else {
      knownFiles++;
      bytes += size;
    }
    if (bytes >= MIN_BYTES_FOR_THREAD) return true;
  }
  return (bytes / Math.max(1, knownFiles)) * (knownFiles + unknownFiles) >= MIN_BYTES_FOR_THREAD;
}

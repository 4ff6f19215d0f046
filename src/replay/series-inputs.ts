import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { rejectOnAbort } from '../base/wait.js';
import { MIN_BYTES_FOR_THREAD } from '../convert/threads/min-bytes-for-thread.js';
import { createLineMemories } from '../market/day-file/text-lines.js';
import type { TimedLines } from '../market/lines/line-buffer.js';
import type { Files, StoreSettings } from '../store/files.js';
import { openFiles } from '../store/open-files.js';
import { createOpenFileLimit } from './chunk-reader.js';
import { createHandover } from './handover.js';
import type { Arrival, ReplaySeries } from './replay-request.js';
import { receiveSeries, type SeriesLines, startSeriesThread } from './threads/series-thread.js';
import type { SeriesTask } from './threads/series-worker.js';
import { type ThreadJobHandle, ThreadPool } from './threads/thread-pool.js';
import { createLineBuffers, createSharedReading, writeSeriesLines } from './write-series-lines.js';

/** Bytes of text at hand, of all series of a replay together; their lines take some five times as much. */
const TEXT_BUDGET_BYTES = 8 * 1024 * 1024;
const MAX_TEXT_CHUNK_BYTES = 512 * 1024;
const MIN_TEXT_CHUNK_BYTES = 16 * 1024;
/** The same where a replay has its own share of memory. */
const LEAST_OWN_CHUNK = 4 * 1024;
const MAX_OPEN_FILES = 16;
/** What merges and writes keeps up with no more. */
const MAX_THREADS = 8;

/** The inputs of the merge, a series each. */
export interface MergeInputs {
  /** Buffers of lines, each good until the next is asked for. Throw, in their turn, what `writeSeriesLines` throws. */
  readonly lines: readonly AsyncIterable<TimedLines>[];
  /** Breaks off what is under way: whoever waits for lines gets an error, or an end. */
  close(): Promise<void>;
}

/** What is replayed: series in the order that breaks ties, and how their files come. `warn` as in `SharedReading`. */
export interface SeriesInput {
  readonly series: readonly ReplaySeries[];
  readonly arrival: Arrival;
  readonly warn: (message: string) => void;
}

/** What the replays of a process share. */
export interface SeriesThreads {
  readonly threads: ThreadPool<SeriesTask>;
  /** For what is read in this thread. */
  readonly files: Files;
  /** Bytes of text at hand, of all series of one replay together; undefined where all replays share them. */
  readonly textBytes: number | undefined;
  /** How many are open: each has the less memory the more there are. */
  replays: number;
  close(): Promise<void>;
}

/**
 * @param store how the threads reach object stores.
 * @param processors threads at once; left out, as many as there are processors.
 * @param textBytes of text at hand, of all series of one replay; left out, all replays share 8 MB.
 */
export function createSeriesThreads(
  store: StoreSettings | undefined,
  processors = availableParallelism(),
  textBytes?: number,
): SeriesThreads {
  const most = Math.min(processors, MAX_THREADS);
  const open = Math.ceil(MAX_OPEN_FILES / most);
  const threads = new ThreadPool(most, () => startSeriesThread(open, store));
  const files = openFiles(store);
  const close = async (): Promise<void> => {
    await threads.close();
    await files.close();
  };
  return { threads, files, textBytes, replays: 0, close };
}

/**
 * Reads series over threads, in turns: thread 1 has the first, thread 2 the second, and so on. What is small is read in
 * this thread. Memory is bounded whatever the number of series: the more there are, the smaller their buffers.
 * Resolves when the files of the first day are there.
 * @throws TickhaulError why one of those can't be had; the reason of an abort.
 */
export async function openSeriesInputs(
  input: SeriesInput,
  shared: SeriesThreads,
  signal: AbortSignal,
): Promise<MergeInputs> {
  // Each series listens to it, and that is no leak.
  setMaxListeners(0, signal);
  await waitForFirstDay(input, signal);
  const bounded = textChunkFor(input.series.length, shared);
  const { lines, close } = (await shouldUseThreads(input, shared.files, signal))
    ? readInThreads(input, bounded, shared.threads, signal)
    : readInThisThread(input, bounded, shared.files, signal);
  shared.replays++;
  let isOpen = true;
  return {
    lines,
    close() {
      if (isOpen) shared.replays--;
      isOpen = false;
      return close();
    },
  };
}

function textChunkFor(series: number, { textBytes, replays }: SeriesThreads): number {
  if (textBytes !== undefined) return Math.max(LEAST_OWN_CHUNK, Math.floor(textBytes / series));
  const chunk = Math.floor(TEXT_BUDGET_BYTES / series / (replays + 1));
  return Math.min(MAX_TEXT_CHUNK_BYTES, Math.max(MIN_TEXT_CHUNK_BYTES, chunk));
}

/** The merge has no first line before. */
async function waitForFirstDay({ series, arrival }: SeriesInput, signal: AbortSignal): Promise<void> {
  const first = findFirstDay(series);
  for (const { day, path, isComing } of series.flatMap(({ files }) => files)) {
    if (isComing && day === first) await rejectOnAbort(arrival(path), signal);
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
  const open = createOpenFileLimit(MAX_OPEN_FILES);
  const reading = createSharedReading({ open, files, textChunk, arrival, warn, memories });
  return {
    lines: series.map((one) =>
      createHandover(createLineBuffers(textChunk), (exchange) =>
        writeSeriesLines(one, reading, exchange, anyOf),
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
  const tasks = Array.from({ length: count }, (_, at) => ({
    series: series.filter((_one, index) => index % count === at),
    textChunk,
  }));
  const jobs = threads.begin(tasks);
  const open = tasks.map((task, at) => receiveSeries(task, jobs[at] as ThreadJobHandle, { arrival, warn }));
  const close = async (): Promise<void> => {
    signal.removeEventListener('abort', close);
    for (const one of open) one.close();
  };
  signal.addEventListener('abort', close);
  return {
    lines: series.map((_, index) => {
      const task = open[index % count] as SeriesLines;
      return task.lines(Math.floor(index / count));
    }),
    close,
  };
}

/** Files that are still to come are taken to be as large as those that are there. */
async function shouldUseThreads(
  { series }: SeriesInput,
  files: Files,
  signal: AbortSignal,
): Promise<boolean> {
  let bytes = 0;
  let there = 0;
  let absent = 0;
  const first = findFirstDay(series);
  // One that can't be looked at fails where it is read.
  const sizeOf = async (path: string): Promise<number | undefined> =>
    (await files.stat(path, signal).catch(() => undefined))?.bytes;
  for (const { path, day, isComing, bytes: known } of series.flatMap((one) => one.files)) {
    const size = known ?? (isComing && day > first ? undefined : await sizeOf(path));
    if (size === undefined) absent++;
    else {
      there++;
      bytes += size;
    }
    if (bytes >= MIN_BYTES_FOR_THREAD) return true;
  }
  return (bytes / Math.max(1, there)) * (there + absent) >= MIN_BYTES_FOR_THREAD;
}

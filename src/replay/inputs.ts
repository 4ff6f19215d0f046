import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { orAborted } from '../base/wait.js';
import { WORTH_A_THREAD } from '../convert/threads/worth-a-thread.js';
import { createLineMemories } from '../market/day-file/text-lines.js';
import type { TimedLines } from '../market/lines/line-buffer.js';
import type { Files, StoreSettings } from '../store/files.js';
import { openFiles } from '../store/open-files.js';
import { createHandover } from './handover.js';
import { limitOpenFiles } from './read-in-turns.js';
import { lineBuffers, makeLines, shareReading } from './series-lines.js';
import { receiveSeries, type SeriesLines, startSeriesThread } from './threads/series-thread.js';
import type { SeriesTask } from './threads/series-worker.js';
import { type JobSide, Threads } from './threads/threads.js';
import type { Arrival, ReplaySeries } from './types.js';

/** Bytes of text at hand, of all series of a replay together; their lines take some five times as much. */
const TEXT = 8 * 1024 * 1024;
const MOST_TEXT_CHUNK = 512 * 1024;
const LEAST_TEXT_CHUNK = 16 * 1024;
/** The same where a replay has its own share of memory. */
const LEAST_OWN_CHUNK = 4 * 1024;
const OPEN_FILES = 16;
/** What merges and writes keeps up with no more. */
const MOST_THREADS = 8;

/** The inputs of the merge, a series each. */
export interface Inputs {
  /** Buffers of lines, each good until the next is asked for. Throw, in their turn, what `makeLines` throws. */
  readonly lines: readonly AsyncIterable<TimedLines>[];
  /** Breaks off what is under way: whoever waits for lines gets an error, or an end. */
  close(): Promise<void>;
}

/** What is replayed: series in the order that breaks ties, and how their files come. */
export interface SeriesInput {
  readonly series: readonly ReplaySeries[];
  readonly arrival: Arrival;
}

/** What the replays of a process share. */
export interface SeriesThreads {
  readonly threads: Threads<SeriesTask>;
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
  const most = Math.min(processors, MOST_THREADS);
  const open = Math.ceil(OPEN_FILES / most);
  const threads = new Threads(most, () => startSeriesThread(open, store));
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
export async function openInputs(
  input: SeriesInput,
  shared: SeriesThreads,
  signal: AbortSignal,
): Promise<Inputs> {
  // Each series listens to it, and that is no leak.
  setMaxListeners(0, signal);
  await arrivalOfFirstDay(input, signal);
  const bounded = textChunkFor(input.series.length, shared);
  const { lines, close } = (await isWorthThreads(input, shared.files, signal))
    ? readInThreads(input, bounded, shared.threads, signal)
    : readHere(input, bounded, shared.files, signal);
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
  const chunk = Math.floor(TEXT / series / (replays + 1));
  return Math.min(MOST_TEXT_CHUNK, Math.max(LEAST_TEXT_CHUNK, chunk));
}

/** The merge has no first line before. */
async function arrivalOfFirstDay({ series, arrival }: SeriesInput, signal: AbortSignal): Promise<void> {
  const first = firstDay(series);
  for (const { day, path, isComing } of series.flatMap(({ files }) => files)) {
    if (isComing && day === first) await orAborted(arrival(path), signal);
  }
}

function firstDay(series: readonly ReplaySeries[]): number {
  const days = series.flatMap(({ files }) => files).map(({ day }) => day);
  return days.reduce((first, day) => Math.min(first, day), Number.POSITIVE_INFINITY);
}

function readHere(
  { series, arrival }: SeriesInput,
  textChunk: number,
  files: Files,
  signal: AbortSignal,
): Inputs {
  const stop = new AbortController();
  const anyOf = AbortSignal.any([signal, stop.signal]);
  setMaxListeners(0, anyOf);
  const memories = createLineMemories();
  const reading = shareReading({ open: limitOpenFiles(OPEN_FILES), files, textChunk, arrival, memories });
  return {
    lines: series.map((one) =>
      createHandover(lineBuffers(textChunk), (exchange) => makeLines(one, reading, exchange, anyOf)),
    ),
    close: async () => stop.abort(),
  };
}

function readInThreads(
  { series, arrival }: SeriesInput,
  textChunk: number,
  threads: SeriesThreads['threads'],
  signal: AbortSignal,
): Inputs {
  const count = Math.min(series.length, threads.most);
  const tasks = Array.from({ length: count }, (_, at) => ({
    series: series.filter((_one, index) => index % count === at),
    textChunk,
  }));
  const jobs = threads.begin(tasks);
  const open = tasks.map((task, at) => receiveSeries(task, jobs[at] as JobSide, arrival));
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
async function isWorthThreads({ series }: SeriesInput, files: Files, signal: AbortSignal): Promise<boolean> {
  let bytes = 0;
  let there = 0;
  let absent = 0;
  const first = firstDay(series);
  // One that can't be looked at fails where it is read.
  const sizeOf = async (path: string): Promise<number | undefined> =>
    (await files.look(path, signal).catch(() => undefined))?.bytes;
  for (const { path, day, isComing, bytes: known } of series.flatMap((one) => one.files)) {
    const size = known ?? (isComing && day > first ? undefined : await sizeOf(path));
    if (size === undefined) absent++;
    else {
      there++;
      bytes += size;
    }
    if (bytes >= WORTH_A_THREAD) return true;
  }
  return (bytes / Math.max(1, there)) * (there + absent) >= WORTH_A_THREAD;
}

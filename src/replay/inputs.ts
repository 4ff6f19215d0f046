import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { WORTH_A_THREAD } from '../convert/threads/worth-a-thread.js';
import type { TimedLines } from '../market/lines/line-buffer.js';
import type { Period } from '../market/trade-bars.js';
import { createHandover } from './handover.js';
import { lineBuffers, makeLines, shareReading } from './series-lines.js';
import type { LineThread } from './threads/line-thread.js';
import { startSeriesThread } from './threads/series-thread.js';
import type { ReadingSizes, ReplaySeries } from './types.js';

/** Bytes of text at hand, of all series together; their lines take some five times as much. */
const TEXT = 8 * 1024 * 1024;
const MOST_TEXT_CHUNK = 512 * 1024;
const LEAST_TEXT_CHUNK = 16 * 1024;
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

/**
 * Reads series over threads, in turns: thread 1 has the first, thread 2 the second, and so on. What is small is read in
 * this thread. Memory is bounded whatever the number of series: the more there are, the smaller their buffers.
 */
export async function openInputs(
  series: readonly ReplaySeries[],
  period: Period,
  signal: AbortSignal,
): Promise<Inputs> {
  const textChunk = Math.floor(TEXT / series.length);
  const sizes = {
    textChunk: Math.min(MOST_TEXT_CHUNK, Math.max(LEAST_TEXT_CHUNK, textChunk)),
    openFiles: OPEN_FILES,
  };
  if (!(await isWorthThreads(series))) return readHere(series, period, sizes, signal);
  return readInThreads(series, period, sizes, signal);
}

function readHere(
  series: readonly ReplaySeries[],
  period: Period,
  sizes: ReadingSizes,
  signal: AbortSignal,
): Inputs {
  const stop = new AbortController();
  const anyOf = AbortSignal.any([signal, stop.signal]);
  const reading = shareReading(sizes);
  return {
    lines: series.map((one) =>
      createHandover(lineBuffers(sizes), (exchange) => makeLines(one, period, reading, exchange, anyOf)),
    ),
    close: async () => stop.abort(),
  };
}

function readInThreads(
  series: readonly ReplaySeries[],
  period: Period,
  sizes: ReadingSizes,
  signal: AbortSignal,
): Inputs {
  const count = Math.min(series.length, availableParallelism(), MOST_THREADS);
  const threads = Array.from({ length: count }, (_, at) =>
    startSeriesThread({
      series: series.filter((_one, index) => index % count === at),
      period,
      sizes: { ...sizes, openFiles: Math.ceil(OPEN_FILES / count) },
    }),
  );
  const close = async (): Promise<void> => {
    signal.removeEventListener('abort', close);
    await Promise.all(threads.map((thread) => thread.close()));
  };
  signal.addEventListener('abort', close);
  return {
    lines: series.map((_, index) => {
      const thread = threads[index % count] as LineThread;
      return thread.lines(Math.floor(index / count));
    }),
    close,
  };
}

async function isWorthThreads(series: readonly ReplaySeries[]): Promise<boolean> {
  let bytes = 0;
  for (const { paths } of series) {
    for (const path of paths) {
      // One that can't be looked at fails where it is read.
      bytes += await stat(path).then(
        ({ size }) => size,
        () => 0,
      );
      if (bytes >= WORTH_A_THREAD) return true;
    }
  }
  return false;
}

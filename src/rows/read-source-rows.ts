import { availableParallelism } from 'node:os';
import type { ReaderOptions } from '../format/csv/day-file-reader.js';
import { chooseInflateThreads } from '../integrity/choose-inflate-threads.js';
import type { Files, StoreSettings } from '../store/files.js';
import { type RowsFacts, type RowsRequest, type RowsSink, readRows } from './read-rows.js';
import { readRowsInThread } from './read-rows-in-thread.js';

/** Compressed size from which a thread pays: smaller files are read before it has started. */
export const MIN_BYTES_FOR_THREAD = 4_000_000;

/** Files, and the settings with which a thread can open them. */
export interface SharedFiles {
  readonly files: Files;
  readonly store: StoreSettings | undefined;
}

/** How a thread of a run reads files. */
export interface RowsAccess extends SharedFiles {
  /** Threads that work in this run, the calling one included. */
  readonly busyThreads: number;
  /** Memories of the calling thread, as in `ReaderOptions`. */
  readonly memories?: ReaderOptions['memories'];
}

/** Whether a processor is left for another thread. */
export function hasSpareProcessor(busyThreads: number): boolean {
  return busyThreads < availableParallelism();
}

/**
 * Reads the rows of a day file as `readRows` does: in another thread if the file is large and a processor is left,
 * otherwise in the calling one.
 * @param bytes compressed size of the file.
 */
export function readSourceRows(
  request: Omit<RowsRequest, 'inflateThreads'>,
  bytes: number,
  { files, store, busyThreads, memories }: RowsAccess,
  sink: RowsSink,
  signal: AbortSignal,
): Promise<RowsFacts> {
  if (bytes < MIN_BYTES_FOR_THREAD || !hasSpareProcessor(busyThreads)) {
    const inflateThreads = chooseInflateThreads(busyThreads);
    return readRows({ ...request, inflateThreads, memories }, files, sink, signal);
  }
  const inflateThreads = chooseInflateThreads(busyThreads + 1);
  return readRowsInThread({ ...request, inflateThreads }, store, sink, signal);
}

import { workerData } from 'node:worker_threads';
import { Semaphore } from '../base/semaphore.js';
import { serveTasks } from '../base/serve-tasks.js';
import { createLineMemories } from '../market/day-file/text-lines.js';
import type { StoreSettings } from '../store/files.js';
import { openFiles } from '../store/open-files.js';
import { createLineSwap, type LinesEvent, type UsedLines } from './line-jobs.js';
import type { ReplaySeries } from './replay-request.js';
import { createLineBuffers, createSharedReading, writeSeriesLines } from './write-series-lines.js';

/** Start data of a thread. */
export interface SeriesWorkerData {
  /** Maximum number of open files, for all series together. */
  readonly maxOpenFiles: number;
  readonly store: StoreSettings | undefined;
}

/** A job: one series of a replay. */
export interface SeriesTask {
  readonly series: ReplaySeries;
  /** Maximum bytes of text read from a file at a time; also of gzip. */
  readonly textChunk: number;
  /** As in `GzipReadOptions`. */
  readonly inflateThreads?: number | undefined;
}

/** A file that the series waits for, whose arrival is the answer; a warning. */
export type SeriesJobEvent = { readonly waitsFor: string } | { readonly warning: string };

const { maxOpenFiles, store } = workerData as SeriesWorkerData;
const open = new Semaphore(maxOpenFiles);
const files = openFiles(store);
const memories = createLineMemories();

serveTasks<SeriesTask, void, SeriesJobEvent | LinesEvent, UsedLines>(
  ({ series, ...reads }, { emit, ask, messages, signal }) => {
    const arrival = async (path: string): Promise<boolean> => (await ask({ waitsFor: path })) === true;
    const warn = (warning: string): void => emit({ warning });
    const reading = createSharedReading({ ...reads, open, files, arrival, warn, memories });
    const nextUsed = async () => (await messages.next())?.used;
    const swap = createLineSwap(createLineBuffers(reads.textChunk), nextUsed, emit);
    return writeSeriesLines(series, reading, swap, signal);
  },
);

import { availableParallelism } from 'node:os';
import { abortReason } from '../../base/errors.js';
import { WorkerThread } from '../../base/worker-thread.js';
import type { RowReaderOptions } from '../../format/csv/row-reader.js';
import { Checksums } from '../../gzip/checksums.js';
import { chooseInflateThreads } from '../../gzip/read-source.js';
import type { Files, StoreSettings } from '../../store/files.js';
import {
  type RowsEvent,
  type RowsFacts,
  type RowsRequest,
  type RowsResult,
  type RowsSink,
  readRowsInline,
} from './read-rows-inline.js';

/** Compressed size from which a second thread saves time; starting it takes as long as reading some 10 MB. */
const MIN_BYTES_FOR_THREAD = 16_000_000;
/** The same for wide rows, whose text compresses well, if unused columns need not be copied. */
const MIN_BYTES_OF_WIDE_ROWS = 6_000_000;

/** Open files, and the settings with which another thread opens its own. */
export interface FilesWithSettings {
  readonly files: Files;
  readonly store: StoreSettings | undefined;
}

export interface RowReaderContext extends FilesWithSettings {
  /** Threads of this run that process files at the same time, including this one. */
  readonly busyThreads: number;
  /** Memories for reads in this thread, as in `RowReaderOptions`; not used if another thread reads. */
  readonly memories?: RowReaderOptions['memories'];
}

/** Threads that each of the busy ones may start, on processors that none of them uses. */
export function countSpareProcessors(busyThreads: number): number {
  return Math.max(0, Math.floor(availableParallelism() / busyThreads) - 1);
}

/**
 * Reads the rows of a day file as `readRowsInline` does, in another thread if the file is large and a processor is
 * spare.
 * @param bytes compressed size of the file.
 */
export function readRows(
  request: Omit<RowsRequest, 'inflateThreads'>,
  bytes: number,
  { files, store, busyThreads, memories }: RowReaderContext,
  sink: RowsSink,
  signal: AbortSignal,
): Promise<RowsResult> {
  const minBytes = request.columns ? MIN_BYTES_OF_WIDE_ROWS : MIN_BYTES_FOR_THREAD;
  if (bytes < minBytes || countSpareProcessors(busyThreads) === 0) {
    const inflateThreads = chooseInflateThreads(busyThreads);
    return readRowsInline({ ...request, inflateThreads, memories }, files, sink, signal);
  }
  const inflateThreads = chooseInflateThreads(busyThreads + 1);
  return readRowsInThread({ ...request, inflateThreads }, store, sink, signal);
}

/**
 * Like `readRowsInline`, in another thread, which reads some batches ahead. The calling thread, which has less to do,
 * computes the checksum.
 * @param store settings of the stores that the thread reads from.
 */
export async function readRowsInThread(
  request: RowsRequest,
  store: StoreSettings | undefined,
  { onBatch, onBytes }: RowsSink,
  signal: AbortSignal,
): Promise<RowsResult> {
  const stop = new AbortController();
  const thread = new WorkerThread<RowsRequest, RowsFacts, RowsEvent, ArrayBuffer>(
    new URL('./rows-worker.js', import.meta.url),
    { name: 'row reader', workerData: store },
  );
  const checksums = new Checksums([request.hash]);
  let lastUse = Promise.resolve();
  const use = async (event: RowsEvent, before: Promise<void>): Promise<void> => {
    await before;
    if ('chunk' in event) {
      checksums.add(event.chunk);
      return onBytes(event.chunk.length);
    }
    const { batch, memory, dataType } = event;
    if (signal.aborted) throw abortReason(signal);
    await onBatch(batch, dataType);
    reading.post(memory, [memory]);
  };
  const onEvent = (event: RowsEvent): void => {
    lastUse = use(event, lastUse);
    lastUse.catch((error: unknown) => stop.abort(error));
  };
  const reading = thread.open(request, { onEvent, signal: AbortSignal.any([signal, stop.signal]) });
  try {
    const facts = await reading.result.finally(() => lastUse);
    return { ...facts, checksum: checksums.finish()[request.hash] };
  } catch (error) {
    throw signal.aborted ? abortReason(signal) : error;
  } finally {
    await thread.close();
  }
}

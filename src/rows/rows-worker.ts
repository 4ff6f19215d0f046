import { workerData } from 'node:worker_threads';
import { serveJobs } from '../base/serve-jobs.js';
import { createDeferred, rejectOnAbort } from '../base/wait.js';
import type { Batch, Schema } from '../format/batch.js';
import { copyBatch } from '../format/copy-batch.js';
import type { StoreSettings } from '../store/files.js';
import { openFiles } from '../store/open-files.js';
import { type RowsFacts, type RowsRequest, readRowsAndBytes } from './read-rows-inline.js';

/** Limit for the memory of batches that were sent and not returned; two are always allowed. */
const MAX_BYTES_IN_FLIGHT = 24 * 1024 * 1024;

/** A file to read, or memory that is returned for other batches. */
export type RowsJob = RowsRequest | { readonly memory: ArrayBuffer };

export type RowsEvent =
  /** Compressed bytes. */
  | { readonly chunk: Uint8Array<ArrayBuffer> }
  /** Precedes the first batch. */
  | { readonly schema: Schema; readonly dataType: string }
  | { readonly batch: Batch; readonly memory: ArrayBuffer };

const files = openFiles(workerData as StoreSettings | undefined);
const returnedMemory: ArrayBuffer[] = [];
let batchesInFlight = 0;
let bytesInFlight = 0;
let returned = createDeferred<void>();

serveJobs<RowsJob, RowsFacts | undefined, RowsEvent>((job, { emit, signal }) => {
  if ('memory' in job) {
    returnedMemory.push(job.memory);
    batchesInFlight--;
    bytesInFlight -= job.memory.byteLength;
    returned.resolve();
    return undefined;
  }
  let hasBatch = false;
  const onBatch = async (batch: Batch, schema: Schema, dataType: string): Promise<void> => {
    while (batchesInFlight >= 2 && bytesInFlight > MAX_BYTES_IN_FLIGHT) {
      returned = createDeferred();
      await rejectOnAbort(returned.promise, signal);
    }
    if (!hasBatch) emit({ schema, dataType });
    hasBatch = true;
    const copy = copyBatch(batch, returnedMemory.pop());
    batchesInFlight++;
    bytesInFlight += copy.memory.byteLength;
    emit(copy, [copy.memory]);
  };
  const onChunk = (bytes: Uint8Array): void => {
    const chunk = new Uint8Array(bytes);
    emit({ chunk }, [chunk.buffer]);
  };
  return readRowsAndBytes(job, files, { onBatch, onChunk }, signal);
});

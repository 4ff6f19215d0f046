import { workerData } from 'node:worker_threads';
import { serveJobs } from '../base/serve-jobs.js';
import { createDeferred, rejectOnAbort } from '../base/wait.js';
import { type Batch, copyBatch, type Schema } from '../format/batch.js';
import type { StoreSettings } from '../store/files.js';
import { openFiles } from '../store/open-files.js';
import { type RowsEvent, type RowsFacts, type RowsJob, readRowsAndBytes } from './read-rows-inline.js';

/** Limit for the memory of batches that were sent and not returned; two are always allowed. */
const MAX_BYTES_IN_FLIGHT = 24 * 1024 * 1024;

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

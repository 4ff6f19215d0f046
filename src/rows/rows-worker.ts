import { workerData } from 'node:worker_threads';
import { createDeferred } from '../base/deferred.js';
import { serveJobs } from '../base/serve-jobs.js';
import { rejectOnAbort } from '../base/wait.js';
import type { Batch, Schema } from '../format/batch.js';
import { copyBatch } from '../format/copy-batch.js';
import type { StoreSettings } from '../store/files.js';
import { openFiles } from '../store/open-files.js';
import { type RowsFacts, type RowsRequest, readRows } from './read-rows.js';

/** Memory of the batches that wait or are used, in bytes; two batches may exceed it. */
const MAX_BYTES = 24 * 1024 * 1024;

/** A file to read, or the memory of a batch that was used. */
export type RowsJob = RowsRequest | { readonly memory: ArrayBuffer };

export type RowsEvent =
  | { readonly bytes: number }
  | {
      readonly batch: Batch;
      readonly memory: ArrayBuffer;
      readonly schema: Schema;
      readonly dataType: string;
    };

const files = openFiles(workerData as StoreSettings | undefined);
/** Memory of batches that were used. */
const free: ArrayBuffer[] = [];
/** Batches that wait or are used, and their bytes. */
let batches = 0;
let batchBytes = 0;
let freed = createDeferred<void>();

serveJobs<RowsJob, RowsFacts | undefined, RowsEvent>((job, { emit, signal }) => {
  if ('memory' in job) {
    free.push(job.memory);
    batches--;
    batchBytes -= job.memory.byteLength;
    freed.resolve();
    return undefined;
  }
  const onBatch = async (batch: Batch, schema: Schema, dataType: string): Promise<void> => {
    while (batches >= 2 && batchBytes > MAX_BYTES) {
      freed = createDeferred();
      await rejectOnAbort(freed.promise, signal);
    }
    const copy = copyBatch(batch, free.pop());
    batches++;
    batchBytes += copy.memory.byteLength;
    emit({ ...copy, schema, dataType }, [copy.memory]);
  };
  return readRows(job, files, { onBatch, onBytes: (bytes) => emit({ bytes }) }, signal);
});

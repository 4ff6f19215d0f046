import { workerData } from 'node:worker_threads';
import { abortReason } from '../../base/errors.js';
import { serveTasks } from '../../base/serve-tasks.js';
import { type Batch, copyBatch } from '../../format/batch.js';
import type { StoreSettings } from '../../store/files.js';
import { openFiles } from '../../store/open-files.js';
import { type RowsEvent, type RowsFacts, type RowsRequest, readRowsAndBytes } from './read-rows-inline.js';

/** Limit for the memory of batches that were sent and not returned; two are always allowed. */
const MAX_BYTES_IN_FLIGHT = 24 * 1024 * 1024;

const files = openFiles(workerData as StoreSettings | undefined);

/** Messages to the job are memory of batches that is returned for other ones. */
serveTasks<RowsRequest, RowsFacts, RowsEvent, ArrayBuffer>((request, { emit, messages, signal }) => {
  const returnedMemory: ArrayBuffer[] = [];
  let batchesInFlight = 0;
  let bytesInFlight = 0;
  const onBatch = async (batch: Batch, dataType: string): Promise<void> => {
    while (messages.length > 0 || (batchesInFlight >= 2 && bytesInFlight > MAX_BYTES_IN_FLIGHT)) {
      const memory = await messages.next();
      if (!memory) throw abortReason(signal);
      returnedMemory.push(memory);
      batchesInFlight--;
      bytesInFlight -= memory.byteLength;
    }
    const copy = copyBatch(batch, returnedMemory.pop());
    batchesInFlight++;
    bytesInFlight += copy.memory.byteLength;
    emit({ ...copy, dataType }, [copy.memory]);
  };
  const onChunk = (bytes: Uint8Array): void => {
    const chunk = new Uint8Array(bytes);
    emit({ chunk }, [chunk.buffer]);
  };
  return readRowsAndBytes(request, files, { onBatch, onChunk }, signal);
});

import { abortReason } from '../base/errors.js';
import { WorkerThread } from '../base/worker-thread.js';
import type { Schema } from '../format/batch.js';
import type { StoreSettings } from '../store/files.js';
import {
  BytesSummary,
  type RowsFacts,
  type RowsRequest,
  type RowsResult,
  type RowsSink,
} from './read-rows-inline.js';
import type { RowsEvent } from './rows-worker.js';

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
  const summary = new BytesSummary(request.hash, onBytes);
  let schema: Schema = [];
  let dataType = '';
  let lastUse = Promise.resolve();
  const use = async (event: RowsEvent, before: Promise<void>): Promise<void> => {
    await before;
    if ('chunk' in event) return summary.add(event.chunk);
    if ('schema' in event) {
      ({ schema, dataType } = event);
      return;
    }
    const { batch, memory } = event;
    if (signal.aborted) throw abortReason(signal);
    await onBatch(batch, schema, dataType);
    reading.post(memory, [memory]);
  };
  const onEvent = (event: RowsEvent): void => {
    lastUse = use(event, lastUse);
    lastUse.catch((error: unknown) => stop.abort(error));
  };
  const reading = thread.open(request, { onEvent, signal: AbortSignal.any([signal, stop.signal]) });
  try {
    const facts = await reading.result.finally(() => lastUse);
    return { ...facts, ...summary.end() };
  } catch (error) {
    throw signal.aborted ? abortReason(signal) : error;
  } finally {
    await thread.close();
  }
}

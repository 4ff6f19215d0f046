import { abortReason } from '../base/errors.js';
import { WorkerThread } from '../base/worker-thread.js';
import type { Batch } from '../format/batch.js';
import type { StoreSettings } from '../store/files.js';
import type { RowsFacts, RowsRequest, RowsSink } from './read-rows.js';
import type { RowsEvent, RowsJob } from './rows-worker.js';

/**
 * Like `readRows`, in another thread, which reads some batches ahead.
 * @param store settings of the stores that the thread reads from.
 */
export async function readRowsInThread(
  request: RowsRequest,
  store: StoreSettings | undefined,
  { onBatch, onBytes }: RowsSink,
  signal: AbortSignal,
): Promise<RowsFacts> {
  const stop = new AbortController();
  const thread = new WorkerThread<RowsJob, RowsFacts | undefined, RowsEvent>(
    new URL('./rows-worker.js', import.meta.url),
    { name: 'row reader', workerData: store },
  );
  let passed = Promise.resolve();
  const pass = async ({
    batch,
    memory,
    schema,
    dataType,
  }: Extract<RowsEvent, { batch: Batch }>): Promise<void> => {
    await passed;
    if (signal.aborted) throw abortReason(signal);
    await onBatch(batch, schema, dataType);
    thread.run({ memory }, { transfer: [memory] }).catch(() => {});
  };
  const onEvent = (event: RowsEvent): void => {
    if ('bytes' in event) onBytes(event.bytes);
    else passed = pass(event);
    passed.catch((error: unknown) => stop.abort(error));
  };
  try {
    const reading = thread.run(request, { onEvent, signal: AbortSignal.any([signal, stop.signal]) });
    const facts = await reading.finally(() => passed);
    if (!facts) throw new Error('the thread read no file');
    return facts;
  } catch (error) {
    throw signal.aborted ? abortReason(signal) : error;
  } finally {
    await thread.close();
  }
}

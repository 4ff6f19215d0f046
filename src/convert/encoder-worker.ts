import { parentPort, workerData } from 'node:worker_threads';
import type { Batch, Schema } from './columns.js';
import { createBatchEncoder } from './encoder.js';
import type { ConvertOptions } from './options.js';

/** What the thread is started with; then each message is a batch, and each answer what became of it. */
export interface EncoderData {
  readonly schema: Schema;
  readonly options: ConvertOptions;
}

const { schema, options } = workerData as EncoderData;
const encode = await createBatchEncoder(schema, options);
parentPort?.on('message', (batch: Batch) => {
  const encoded = encode(batch);
  parentPort?.postMessage(encoded, [encoded.bytes.buffer]);
});

import { parentPort, workerData } from 'node:worker_threads';
import type { Batch, Schema } from './columns.js';
import { createBatchEncoder } from './encoder.js';
import type { ConvertOptions } from './options.js';

/** What the thread is started with; then each message is a batch, and each answer what became of it. */
export interface EncoderData {
  readonly schema: Schema;
  readonly options: ConvertOptions;
  /** How many answers stay whole. */
  readonly results: number;
}

const { schema, options, results } = workerData as EncoderData;
const encode = await createBatchEncoder(schema, options, results);
parentPort?.on('message', (batch: Batch) => {
  const encoded = encode(batch);
  const { buffer } = encoded.bytes;
  // Shared memory stays here too.
  parentPort?.postMessage(encoded, buffer instanceof ArrayBuffer ? [buffer] : []);
});

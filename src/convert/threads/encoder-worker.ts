import { parentPort } from 'node:worker_threads';
import type { Batch, Schema } from '../../format/columns.js';
import type { ConvertOptions } from '../../format/options.js';
import { createBatchEncoder } from './batch-encoder.js';
import type { Encoded } from './encoder.js';

/** The thread's first message; then each is a batch, and each answer what became of it. */
export interface EncoderOrder {
  readonly schema: Schema;
  readonly options: ConvertOptions;
  /** How many answers stay whole. */
  readonly results: number;
}

parentPort?.once('message', ({ schema, options, results }: EncoderOrder) => {
  const encoder = createBatchEncoder(schema, options, results);
  // A batch may come before the encoder is there.
  parentPort?.on('message', async (batch: Batch) => answer((await encoder)(batch)));
});

function answer(encoded: Encoded): void {
  const { buffer } = encoded.bytes;
  // Shared memory stays here too.
  parentPort?.postMessage(encoded, buffer instanceof ArrayBuffer ? [buffer] : []);
}

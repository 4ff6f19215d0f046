import type { Batch, Schema } from '../../format/batch.js';
import { loadCompressor } from '../../format/compression/compressor.js';
import type { EncodedBatch } from '../../format/kernel/batch-kernel.js';
import type { OutputOptions } from '../../format/output-options.js';
import { createLineEncoder } from './line-encoder.js';

/** Encodes a batch of computed rows, synchronously. The bytes are valid until the next call. */
export type BatchEncoder = (batch: Batch) => EncodedBatch;

export async function createBatchEncoder(schema: Schema, options: OutputOptions): Promise<BatchEncoder> {
  const { compression, numbers } = options;
  if (options.format === 'parquet') {
    const { createRowGroupEncoder } = await import('../../format/kernel/encode/row-group-encoder.js');
    const times = options.times === 'int' ? 'int' : 'timestamp';
    return createRowGroupEncoder({ schema, compression, numbers, times });
  }
  const compress = await loadCompressor(compression);
  const encode = createLineEncoder(schema, { numbers, times: options.times === 'iso' ? 'iso' : 'int' });
  return (batch) => ({ rows: batch.rows, bytes: compress(encode(batch), 'fast'), columns: [] });
}

import type { Batch, Schema } from '../../format/columns.js';
import { loadCompressor } from '../../format/compression/compressor.js';
import { createRowGroupEncoder } from '../../format/kernel/encode/row-group-encoder.js';
import { createNdjsonEncoder } from '../../format/ndjson/encoder.js';
import type { ConvertOptions } from '../../format/options.js';
import type { Encoded } from './encoder.js';

/**
 * Gives the function that makes a batch bytes: pure work for the processor, synchronous.
 * @param results how many results stay whole at least; the memory of those before may be used again.
 */
export async function createBatchEncoder(
  schema: Schema,
  options: ConvertOptions,
  results: number,
): Promise<(batch: Batch) => Encoded> {
  const { compression, numbers } = options;
  if (options.format === 'parquet') {
    const times = options.times === 'int' ? 'int' : 'timestamp';
    return createRowGroupEncoder({ schema, compression, numbers, times });
  }
  const isPlain = compression === 'none';
  const times = options.times === 'iso' ? 'iso' : 'int';
  const encode = createNdjsonEncoder(schema, { times, numbers, results: isPlain ? results : 1 });
  if (isPlain) return (batch) => ({ rows: batch.rows, bytes: encode(batch), columns: [] });
  const compress = await loadCompressor(compression);
  // Frames one behind the other are a whole file, in gzip (RFC 1952, section 2.2) and zstd (RFC 8878, section 3).
  return (batch) => ({
    rows: batch.rows,
    bytes: new Uint8Array(compress(encode(batch), 'fast')),
    columns: [],
  });
}

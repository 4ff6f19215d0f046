import type { Batch, Schema } from './columns.js';
import { loadCompressor } from './compression/compressor.js';
import { createNdjsonEncoder } from './ndjson/encoder.js';
import type { ConvertOptions } from './options.js';
import { createRowGroupEncoder, type EncodedRowGroup } from './parquet/index.js';

/** A batch as bytes of the output, encoded and compressed. NDJSON has no columns to tell of. */
export type Encoded = EncodedRowGroup;

/** Makes batches bytes; more than one may be under way where `parallel` says so. */
export interface Encoder {
  /** How many batches may be under way at once. */
  readonly parallel: number;
  /** Takes the batch: its arrays may be gone after. The result is good until `parallel` more batches are given. */
  encode(batch: Batch): Promise<Encoded>;
}

/** Where an encoder is made, once the header has told the schema. */
export interface EncoderHost {
  open(schema: Schema, options: ConvertOptions): Promise<Encoder>;
  /** Ends what is under way; may be called again, and without `open`. */
  close(): Promise<void>;
}

/** Encodes in this thread. */
export const localEncoderHost: EncoderHost = {
  async open(schema, options) {
    const encode = await createBatchEncoder(schema, options, 1);
    return { parallel: 1, encode: async (batch) => encode(batch) };
  },
  close: async () => {},
};

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

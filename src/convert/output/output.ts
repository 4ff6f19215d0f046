import type { Schema } from '../../format/columns.js';
import type { Compress } from '../../format/compression/compress.js';
import { loadCompressor } from '../../format/compression/compressor.js';
import { createNdjsonOutput } from '../../format/ndjson/output.js';
import type { ConvertOptions } from '../../format/options.js';
import { createParquetWriter } from '../../format/parquet/writer.js';
import type { Sink } from '../../format/sink.js';
import type { Encoded } from '../threads/encoder.js';
import { type ConversionRecord, formatRecord } from './record.js';

/** Puts encoded batches into the order and the frame of their format. Calls must not overlap. */
export interface OutputWriter {
  write(encoded: Encoded): Promise<void>;
  /** Gives the rows and bytes of the whole output; where the format has room for the record, it keeps it. */
  finish(record: ConversionRecord): Promise<{ rows: number; bytes: number }>;
}

export async function createOutputWriter(
  sink: Sink,
  schema: Schema,
  options: ConvertOptions,
): Promise<OutputWriter> {
  const { compression, numbers } = options;
  if (options.format === 'ndjson') return createLineWriter(sink, await loadCompressor(compression));
  const times = options.times === 'int' ? 'int' : 'timestamp';
  const writer = createParquetWriter(sink, { schema, compression, numbers, times });
  return {
    write: (encoded) => writer.writeRowGroup(encoded),
    finish: (record) => writer.finish(formatRecord(record)),
  };
}

function createLineWriter(sink: Sink, compress: Compress): OutputWriter {
  // Batches come compressed; what a file of no rows holds doesn't.
  const output = createNdjsonOutput(sink, (bytes, effort) =>
    bytes.length > 0 ? bytes : compress(bytes, effort),
  );
  let rows = 0;
  return {
    async write(encoded) {
      await output.write(encoded.bytes);
      rows += encoded.rows;
    },
    finish: async () => ({ rows, ...(await output.finish()) }),
  };
}

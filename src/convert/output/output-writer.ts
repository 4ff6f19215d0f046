import type { Schema } from '../../format/batch.js';
import type { ByteSink } from '../../format/byte-sink.js';
import type { Compress } from '../../format/compression/compress.js';
import { loadCompressor } from '../../format/compression/compressor.js';
import type { ConvertOptions } from '../../format/convert-options.js';
import type { EncodedBatch } from '../../format/kernel/batch-kernel.js';
import { createNdjsonOutput } from '../../format/ndjson/ndjson-output.js';
import { createParquetWriter } from '../../format/parquet/parquet-writer.js';
import { formatProvenance, type Provenance } from './provenance.js';

/** Puts encoded batches into the order and the frame of their format. Calls must not overlap. */
export interface OutputWriter {
  write(encoded: EncodedBatch): Promise<void>;
  /** Gives the rows and bytes of the whole output; where the format has room for the record, it keeps it. */
  finish(record: Provenance): Promise<{ rows: number; bytes: number }>;
}

export async function createOutputWriter(
  sink: ByteSink,
  schema: Schema,
  options: ConvertOptions,
): Promise<OutputWriter> {
  const { compression, numbers } = options;
  if (options.format === 'ndjson') return createLineWriter(sink, await loadCompressor(compression));
  const times = options.times === 'int' ? 'int' : 'timestamp';
  const writer = createParquetWriter(sink, { schema, compression, numbers, times });
  return {
    write: (encoded) => writer.writeRowGroup(encoded),
    finish: (record) => writer.finish(formatProvenance(record)),
  };
}

function createLineWriter(sink: ByteSink, compress: Compress): OutputWriter {
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

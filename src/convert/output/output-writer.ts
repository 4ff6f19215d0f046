import type { Schema } from '../../format/batch.js';
import type { ByteSink } from '../../format/byte-sink.js';
import type { Compress } from '../../format/compression/compress.js';
import { loadCompressor } from '../../format/compression/compressor.js';
import type { EncodedBatch } from '../../format/kernel/batch-kernel.js';
import { createNdjsonOutput } from '../../format/ndjson/ndjson-output.js';
import type { OutputOptions } from '../../format/output-options.js';
import { createParquetWriter } from '../../format/parquet/parquet-writer.js';
import { formatProvenance, type Provenance } from './provenance.js';

/** Writes encoded batches in their order, in the output's format. Calls must not overlap. */
export interface OutputWriter {
  write(encoded: EncodedBatch): Promise<void>;
  /** Returns rows and bytes of the whole output. A format with metadata keeps the provenance record. */
  finish(record: Provenance): Promise<{ rows: number; bytes: number }>;
}

export async function createOutputWriter(
  sink: ByteSink,
  schema: Schema,
  options: OutputOptions,
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
  // Batches are already compressed; the content of a file without rows is not.
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

import { isInHiveFolder } from '../../day-files/layout.js';
import type { Schema } from '../batch.js';
import { COLUMN_BATCHES, type OutputFormat, type OutputOptions } from '../output-format.js';
import type { ParquetOptions } from './parquet-schema.js';
import type { EncodedRowGroup } from './parquet-writer.js';

/** Columns in row groups, with provenance in the footer (docs/spec/parquet-mapping.md#types). */
export const PARQUET_FORMAT: OutputFormat = {
  compressions: ['zstd', 'snappy', 'gzip', 'none'],
  times: ['timestamp', 'int'],
  hasRowGroups: true,
  hasEncodings: true,
  writerVersion: 1,
  hasMetadata: true,
  batches: COLUMN_BATCHES,
  extension: () => 'parquet',
  sizeRatio: (compression) => (compression === 'none' ? 4 : compression === 'snappy' ? 2 : 1),

  async createWriter(sink, schema, options, location = '') {
    const { createParquetWriter } = await import('./parquet-writer.js');
    const { toParquetColumns } = await import('./parquet-schema.js');
    const columns = toParquetColumns(schema, toParquetOptions(schema, options));
    const writer = createParquetWriter(sink, columns, options.compression);
    return {
      write: (encoded) => writer.writeRowGroup(encoded as EncodedRowGroup),
      async finish(metadata) {
        if (!isInHiveFolder(location)) return writer.finish(metadata);
        const { ARROW_SCHEMA_KEY, encodeArrowHint } = await import('./arrow-hint.js');
        return writer.finish({ ...metadata, [ARROW_SCHEMA_KEY]: encodeArrowHint(columns) });
      },
    };
  },
  async createKernel(job) {
    const { createRowGroupKernel } = await import('./row-group-kernel.js');
    return createRowGroupKernel(job, toParquetOptions(job.schema, job.options));
  },
  async readFacts(path, files, signal) {
    const { readParquetFooter } = await import('./parquet-footer.js');
    const file = await files.openRandom(path, signal);
    const { rows, keyValues } = await readParquetFooter(file, path).finally(() => file.close());
    return { bytes: file.bytes, rows, keyValues };
  },
  async inspect(path, files, signal) {
    const { inspectParquet } = await import('./inspect-parquet.js');
    const file = await files.openRandom(path, signal);
    return inspectParquet(path, file, signal).finally(() => file.close());
  },
};

function toParquetOptions(
  schema: Schema,
  { compression, numbers, times, encodings }: OutputOptions,
): ParquetOptions {
  return { schema, compression, numbers, times: times === 'int' ? 'int' : 'timestamp', encodings };
}

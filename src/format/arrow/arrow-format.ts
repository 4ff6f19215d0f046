import { isDeepStrictEqual } from 'node:util';
import { usageError } from '../../base/errors.js';
import {
  type ByteSink,
  COLUMN_BATCHES,
  type OutputFormat,
  type OutputOptions,
  type OutputStream,
} from '../output-format.js';
import type { ArrowSchema } from './arrow-message.js';
import type { ArrowWriter } from './arrow-writer.js';
import type { EncodedRecordBatch } from './record-batch-encoder.js';

/** Record batches with plain buffers, and provenance in the footer's schema (docs/spec/arrow-mapping.md#types). */
export const ARROW_FORMAT: OutputFormat = {
  compressions: ['none', 'lz4', 'zstd'],
  times: ['timestamp', 'int'],
  hasRowGroups: true,
  hasEncodings: false,
  writerVersion: 1,
  hasMetadata: true,
  batches: COLUMN_BATCHES,
  extension: () => 'arrow',
  sizeRatio: (compression) => (compression === 'none' ? 8 : compression === 'lz4' ? 3 : 2),

  async createWriter(sink, schema, options) {
    const { createArrowWriter } = await import('./arrow-writer.js');
    const { toArrowSchema } = await import('./arrow-message.js');
    const writer = createArrowWriter(sink, toArrowSchema(schema, options), 'file');
    return {
      write: (encoded) => writer.writeBatch(encoded as EncodedRecordBatch),
      finish: (metadata) => writer.finish(metadata),
    };
  },
  openStream: openArrowStream,
  async createKernel(job) {
    const { createRecordBatchKernel } = await import('./record-batch-encoder.js');
    return createRecordBatchKernel(job);
  },
  async readFacts(path, files, signal) {
    const { readArrowFooter, countRows } = await import('./arrow-reader.js');
    const file = await files.openRandom(path, signal);
    try {
      const footer = await readArrowFooter(file, path);
      return { bytes: file.bytes, rows: await countRows(file, path, footer), keyValues: footer.keyValues };
    } finally {
      await file.close();
    }
  },
  async inspect(path, files, signal) {
    const { inspectArrow } = await import('./inspect-arrow.js');
    const file = await files.openRandom(path, signal);
    return inspectArrow(path, file, signal).finally(() => file.close());
  },
};

/**
 * Opens an IPC stream: the schema of the first file, then the record batches of all files. If a file was not finished
 * after some of its rows, readers fail at the end.
 */
function openArrowStream(sink: ByteSink, options: OutputOptions): OutputStream {
  let opened: { readonly schema: ArrowSchema; readonly writer: ArrowWriter } | undefined;
  const unfinished = new Set<symbol>();
  return {
    async createWriter(columns) {
      const { createArrowWriter } = await import('./arrow-writer.js');
      const { toArrowSchema } = await import('./arrow-message.js');
      const schema = toArrowSchema(columns, options);
      opened ??= { schema, writer: createArrowWriter(sink, schema, 'stream') };
      if (!isDeepStrictEqual(schema, opened.schema))
        throw usageError(
          '-o -: this file has other columns than the first one, and an Arrow stream has one schema; convert it separately',
        );
      const { writer } = opened;
      const file = Symbol('file');
      let rows = 0;
      let bytes = 0;
      return {
        async write(encoded) {
          unfinished.add(file);
          await writer.writeBatch(encoded as EncodedRecordBatch);
          rows += encoded.rows;
          bytes += encoded.bytes.length;
        },
        async finish() {
          unfinished.delete(file);
          return { rows, bytes };
        },
      };
    },
    async end() {
      if (unfinished.size > 0) await opened?.writer.breakOff();
      else await opened?.writer.finish();
    },
  };
}

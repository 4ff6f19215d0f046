import { COLUMN_BATCHES } from '../kernel/batch-limits.js';
import type { OutputFormat } from '../output-format.js';
import { openArrowStream } from './arrow-stream.js';
import type { EncodedRecordBatch } from './record-batch.js';

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
    const { toArrowSchema } = await import('./arrow-columns.js');
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
    const { readArrowFooter, countRows } = await import('./arrow-footer.js');
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

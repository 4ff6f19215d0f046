import type { OutputExtension } from '../../base/output-format-names.js';
import { countLines } from '../../gzip/count-lines.js';
import type { Compression } from '../compressor.js';
import type { OutputFormat, OutputOptions } from '../output-format.js';
import { LINE_BATCHES } from './line-limits.js';
import type { CellOptions } from './ndjson-kernel.js';

const EXTENSIONS: Readonly<Partial<Record<Compression, OutputExtension>>> = {
  gzip: 'ndjson.gz',
  zstd: 'ndjson.zst',
};

/** One JSON object per row and line (docs/spec/ndjson-mapping.md#values). */
export const NDJSON_FORMAT: OutputFormat = {
  compressions: ['none', 'zstd', 'gzip'],
  times: ['int', 'iso'],
  hasRowGroups: false,
  hasEncodings: false,
  writerVersion: 1,
  hasMetadata: false,
  batches: LINE_BATCHES,
  extension: (compression) => EXTENSIONS[compression] ?? 'ndjson',
  // Each row repeats all column names.
  sizeRatio: (compression) => (compression === 'none' ? 15 : 1.5),

  async createWriter(sink, _schema, { compression }) {
    const { createNdjsonWriter } = await import('./ndjson-writer.js');
    return createNdjsonWriter(sink, compression);
  },
  openStream: (sink, { compression }) => ({
    async createWriter() {
      const { createNdjsonWriter } = await import('./ndjson-writer.js');
      return createNdjsonWriter(sink, compression);
    },
    end: async () => {},
  }),
  async createKernel(job) {
    const { createNdjsonKernel } = await import('./ndjson-kernel.js');
    return createNdjsonKernel(job, toCellOptions(job.options));
  },
  async readFacts(path, { read }, signal = new AbortController().signal) {
    const { readTextFile } = await import('../read-text-file.js');
    let rows = 0;
    const onText = (text: Buffer): void => {
      rows += countLines(text);
    };
    const bytes = await readTextFile(path, onText, signal, read);
    return { bytes, rows };
  },
  async inspect(path, { read }, signal) {
    const { inspectNdjson } = await import('./inspect-ndjson.js');
    return inspectNdjson(path, read, signal);
  },
};

function toCellOptions({ times, numbers }: OutputOptions): CellOptions {
  return { times: times === 'iso' ? 'iso' : 'int', numbers };
}

import { isDeepStrictEqual } from 'node:util';
import { usageError } from '../../base/errors.js';
import type { OutputExtension } from '../../base/output-format-names.js';
import { countLines, linesToRows } from '../../gzip/count-lines.js';
import type { Schema } from '../batch.js';
import { type Compression, loadCompressor } from '../compressor.js';
import { LINE_BATCHES } from '../ndjson/line-limits.js';
import type { ByteSink, OutputFormat, OutputOptions, OutputStream, OutputWriter } from '../output-format.js';
import { quoteCell } from './csv-cells.js';
import { RecordEndFinder } from './quoted-records.js';

const QUOTE = 34;

const EXTENSIONS: Readonly<Partial<Record<Compression, OutputExtension>>> = {
  gzip: 'csv.gz',
  zstd: 'csv.zst',
};

/** A header and the rows as the source has them (docs/spec/csv-mapping.md#text). */
export const CSV_FORMAT: OutputFormat = {
  compressions: ['none', 'zstd', 'gzip'],
  times: ['int'],
  hasRowGroups: false,
  hasEncodings: false,
  writerVersion: 1,
  hasMetadata: false,
  // A batch is the text and that of its check, which is about as long.
  batches: { ...LINE_BATCHES, cellBytes: () => 40 },
  extension: (compression) => EXTENSIONS[compression] ?? 'csv',
  sizeRatio: (compression) => (compression === 'none' ? 8 : 1.3),

  async createWriter(sink, schema, { compression }, _location, header) {
    return createCsvWriter(sink, compression, header ?? formatHeader(schema));
  },
  openStream: openCsvStream,
  async createKernel(job) {
    const { createCsvKernel } = await import('./csv-kernel.js');
    return createCsvKernel(job);
  },
  async readFacts(path, { read }, signal = new AbortController().signal) {
    const { readTextFile } = await import('../read-text-file.js');
    const ends = new RecordEndFinder();
    let records = 0;
    let last: number | undefined;
    const onText = (text: Buffer): void => {
      if (!ends.inQuotes && !text.includes(QUOTE)) records += countLines(text);
      else {
        ends.scan(text, 0, text.length);
        records += ends.recordCount;
      }
      last = text.at(-1) ?? last;
    };
    const bytes = await readTextFile(path, onText, signal, read);
    return { bytes, rows: linesToRows(records, last) };
  },
  async inspect(path, { read }, signal, dataType) {
    const { inspectCsv } = await import('./inspect-csv.js');
    return inspectCsv(path, dataType, read, signal);
  },
};

/** Writes the header, then batches as NDJSON does: each is its own gzip member or zstd frame. @param header empty for none. */
async function createCsvWriter(
  sink: ByteSink,
  compression: Compression,
  header: Uint8Array,
): Promise<OutputWriter> {
  const { createNdjsonWriter } = await import('../ndjson/ndjson-writer.js');
  const writer = await createNdjsonWriter(sink, compression);
  const compress = await loadCompressor(compression);
  if (header.length > 0) await writer.write({ rows: 0, bytes: compress(header, 'fast') });
  return writer;
}

/** Opens a stream of the rows of all files after the header of the first one. */
function openCsvStream(sink: ByteSink, { compression }: OutputOptions): OutputStream {
  let names: readonly string[] | undefined;
  return {
    async createWriter(schema, header = formatHeader(schema)) {
      const isFirst = names === undefined;
      const found = schema.map(({ name }) => name);
      names ??= found;
      if (!isDeepStrictEqual(names, found))
        throw usageError(
          '-o -: this file has other columns than the first one, and a CSV has one header; convert it separately',
        );
      return createCsvWriter(sink, compression, isFirst ? header : new Uint8Array());
    },
    end: async () => {},
  };
}

/** The header of rows that come without one, such as those of computed types. */
function formatHeader(schema: Schema): Uint8Array {
  return Buffer.from(`${schema.map(({ name }) => quoteCell(name)).join()}\n`);
}

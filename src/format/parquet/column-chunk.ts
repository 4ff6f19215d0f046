import type { ByteWriter } from '../byte-writer.js';
import type { Compress } from '../compression/compress.js';
import { Encoding, type EncodingId } from './format-constants.js';
import { type DictionaryValues, writeDataPage, writeDictionaryPage } from './page.js';
import type { Statistics } from './statistics.js';

/** Values of a column chunk, to be written page by page. */
export interface EncodedValues {
  readonly encoding: EncodingId;
  readonly dictionary: DictionaryValues | undefined;
  /** Average size of a value in bytes before it is encoded. */
  readonly valueSize: number;
  readonly statistics: Statistics;
  /**
   * Body of the page with the rows from `start` up to, but not including, `end`: levels, then values. Request
   * pages in order, after the dictionary is written; each is valid until the next.
   */
  readonly page: (start: number, end: number) => Uint8Array;
}

/**
 * Metadata of a column chunk for the footer. Offsets count from the start of the row group; sizes are in
 * bytes.
 */
export interface ChunkMetadata {
  readonly encodings: readonly EncodingId[];
  readonly offset: number;
  readonly dataPageOffset: number;
  readonly hasDictionary: boolean;
  readonly size: number;
  readonly uncompressedSize: number;
  readonly statistics: Statistics;
}

const PAGE_ROWS = 131_072;
const PAGE_BYTES = 1_048_576;

/** Compresses a column of `rows` rows and appends it to the row group's bytes (docs/spec/parquet-mapping.md#pages). */
export function writeColumnChunk(
  out: ByteWriter,
  values: EncodedValues,
  rows: number,
  compress: Compress,
): ChunkMetadata {
  const { encoding, dictionary, statistics } = values;
  const offset = out.length;
  let uncompressedSize = dictionary ? writeDictionaryPage(out, dictionary, compress) : 0;
  const dataPageOffset = out.length;
  const pageRows = Math.max(1, Math.min(PAGE_ROWS, Math.floor(PAGE_BYTES / values.valueSize)));
  for (let row = 0; row < rows; row += pageRows) {
    const end = Math.min(rows, row + pageRows);
    const page = { rows: end - row, encoding, body: values.page(row, end) };
    uncompressedSize += writeDataPage(out, page, compress);
  }
  return {
    // All encodings in the chunk: dictionaries are PLAIN, levels RLE.
    encodings: [...new Set([...(dictionary ? [Encoding.plain] : []), Encoding.rle, encoding])],
    offset,
    dataPageOffset,
    hasDictionary: dictionary !== undefined,
    size: out.length - offset,
    uncompressedSize,
    statistics,
  };
}

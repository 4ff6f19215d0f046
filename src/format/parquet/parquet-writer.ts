import { VERSION } from '../../base/packages.js';
import { ByteWriter } from '../byte-writer.js';
import type { Compress, Compression } from '../compressor.js';
import type { ByteSink, EncodedBatch } from '../output-format.js';
import {
  Codec,
  Encoding,
  type EncodingId,
  PARQUET_MAGIC,
  PageType,
  type ParquetColumn,
  writeSchema,
} from './parquet-schema.js';
import { ThriftWriter } from './thrift.js';

export interface ParquetWriter {
  /** Appends a row group; one without rows is ignored. Calls must not overlap. */
  writeRowGroup(group: EncodedRowGroup): Promise<void>;
  /** Writes the footer, with these key-value pairs. Returns rows and bytes of the whole file. */
  finish(keyValues: Readonly<Record<string, string>>): Promise<{ rows: number; bytes: number }>;
}

/**
 * Creates a writer of a Parquet file (https://github.com/apache/parquet-format), which is readable only after
 * `finish`.
 * @param columns those of the row groups.
 * @param compression that of the row groups.
 * @throws from `writeRowGroup` and `finish`: errors of the sink.
 */
export function createParquetWriter(
  sink: ByteSink,
  columns: readonly ParquetColumn[],
  compression: Compression,
): ParquetWriter {
  const rowGroups: Uint8Array[] = [];
  let rows = 0;
  let length = 0;

  const write = async (bytes: Uint8Array): Promise<void> => {
    await sink.write(bytes);
    length += bytes.length;
  };
  const writeMagicOnce = async (): Promise<void> => {
    if (length === 0) await write(PARQUET_MAGIC);
  };

  return {
    async writeRowGroup(group) {
      if (group.rows === 0) return;
      await writeMagicOnce();
      rowGroups.push(encodeRowGroup({ ...group, offset: length }, columns, compression));
      rows += group.rows;
      await write(group.bytes);
    },

    async finish(keyValues) {
      await writeMagicOnce();
      const footer = new ByteWriter();
      footer.append(encodeFileMetadata({ columns, rows, rowGroups, keyValues }));
      footer.uint32(footer.length);
      footer.append(PARQUET_MAGIC);
      await write(footer.written());
      return { rows, bytes: length };
    },
  };
}

/** A row group in a file, at a byte offset. */
interface WrittenRowGroup {
  readonly offset: number;
  readonly rows: number;
  readonly columns: readonly ChunkMetadata[];
}

interface FileMetadata {
  readonly columns: readonly ParquetColumn[];
  readonly rows: number;
  /** Encoded by `encodeRowGroup`. */
  readonly rowGroups: readonly Uint8Array[];
  readonly keyValues: Readonly<Record<string, string>>;
}

/**
 * Encodes the footer's FileMetaData struct (parquet.thrift), without its length and the final magic bytes.
 */
function encodeFileMetadata({ columns, rows, rowGroups, keyValues }: FileMetadata): Uint8Array {
  const out = new ByteWriter();
  const thrift = new ThriftWriter(out);
  const formatVersion = 2;
  thrift.i32(1, formatVersion);
  writeSchema(thrift, 2, columns);
  thrift.i64(3, rows);
  thrift.encodedStructs(4, rowGroups);
  thrift.structs(5, Object.entries(keyValues), ([key, value]) => {
    thrift.string(1, key);
    thrift.string(2, value);
  });
  thrift.string(6, `tickhaul version ${VERSION}`);
  // TYPE_ORDER for each column; without it, readers ignore the bounds of text.
  thrift.structs(7, columns, () => thrift.struct(1, () => {}));
  thrift.end();
  return out.written();
}

/**
 * Encodes the RowGroup struct. The encoded bytes are kept until the end, as objects would take many times
 * their memory.
 */
function encodeRowGroup(
  { offset, rows, columns: chunks }: WrittenRowGroup,
  columns: readonly ParquetColumn[],
  compression: Compression,
): Uint8Array {
  const out = new ByteWriter();
  const thrift = new ThriftWriter(out);
  thrift.structs(1, chunks, (chunk, i) => {
    thrift.i64(2, 0);
    thrift.struct(3, () => writeChunk(thrift, chunk, columns[i] as ParquetColumn));
  });
  thrift.i64(
    2,
    chunks.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0),
  );
  thrift.i64(3, rows);
  thrift.i64(5, offset);
  thrift.i64(
    6,
    chunks.reduce((sum, { size }) => sum + size, 0),
  );
  thrift.end();
  return out.written().slice();

  function writeChunk(thrift: ThriftWriter, chunk: ChunkMetadata, { name, type }: ParquetColumn): void {
    thrift.i32(1, type);
    thrift.i32s(2, chunk.encodings);
    thrift.strings(3, [name]);
    thrift.i32(4, Codec[compression as keyof typeof Codec]);
    thrift.i64(5, rows);
    thrift.i64(6, chunk.uncompressedSize);
    thrift.i64(7, chunk.size);
    thrift.i64(9, offset + chunk.dataPageOffset);
    if (chunk.hasDictionary) thrift.i64(11, offset + chunk.offset);
    thrift.struct(12, () => writeStatistics(thrift, chunk.statistics));
  }
}

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

/** A batch as a row group. */
export interface EncodedRowGroup extends EncodedBatch {
  readonly columns: readonly ChunkMetadata[];
}

/** Distinct values, PLAIN-encoded. */
export interface DictionaryValues {
  readonly bytes: Uint8Array;
  readonly size: number;
}

/** Appends a page to `out`; returns its size before compression, with the header, in bytes. */
export function writeDataPage(
  out: ByteWriter,
  page: { readonly rows: number; readonly encoding: EncodingId; readonly body: Uint8Array },
  compress: Compress,
): number {
  return writePage(out, PageType.data, page.body.length, compress(page.body, 'fast'), (thrift) =>
    thrift.struct(5, () => {
      thrift.i32(1, page.rows);
      thrift.i32(2, page.encoding);
      thrift.i32(3, Encoding.rle);
      thrift.i32(4, Encoding.rle);
    }),
  );
}

export function writeDictionaryPage(
  out: ByteWriter,
  { bytes, size }: DictionaryValues,
  compress: Compress,
): number {
  // Use more effort: values compress better than indices, to a third less with many values.
  return writePage(out, PageType.dictionary, bytes.length, compress(bytes, 'small'), (thrift) =>
    thrift.struct(7, () => {
      thrift.i32(1, size);
      thrift.i32(2, Encoding.plain);
    }),
  );
}

/** @param bodyBytes size before compression, taken before it: a memory that grows for its result loses its views. */
function writePage(
  out: ByteWriter,
  type: number,
  bodyBytes: number,
  compressed: Uint8Array,
  writeTypeHeader: (thrift: ThriftWriter) => void,
): number {
  const header = new ByteWriter(64);
  const thrift = new ThriftWriter(header);
  thrift.i32(1, type);
  thrift.i32(2, bodyBytes);
  thrift.i32(3, compressed.length);
  writeTypeHeader(thrift);
  thrift.end();
  out.append(header.written());
  out.append(compressed);
  return header.length + bodyBytes;
}

/** Statistics of a column chunk. Bounds are PLAIN-encoded values; undefined if there are no values. */
export interface Statistics {
  readonly nullCount: number;
  readonly bounds: ValueBounds | undefined;
}

/** Bounds in the order of the type (TYPE_ORDER): numbers by value, texts by unsigned bytes. */
export interface ValueBounds {
  readonly min: Uint8Array;
  readonly max: Uint8Array;
}

/** Longer texts have no bounds, since readers treat truncated ones differently. */
const MAX_BOUND_BYTES = 64;

/**
 * Bounds of doubles. The format requires -0.0 for a zero minimum and +0.0 for a zero maximum, since readers
 * may distinguish the two.
 */
export function doubleBounds(min: number, max: number): ValueBounds {
  const bytes = (value: number): Uint8Array => new Uint8Array(Float64Array.of(value).buffer);
  return { min: bytes(min === 0 ? -0 : min), max: bytes(max === 0 ? 0 : max) };
}

/** Bounds of integers as INT64. */
export function longBounds(min: number, max: number): ValueBounds {
  const bytes = (value: number): Uint8Array => new Uint8Array(BigInt64Array.of(BigInt(value)).buffer);
  return { min: bytes(min), max: bytes(max) };
}

/** Bounds of at least one boolean. @param count number of values. @param trues number of true ones. */
export function booleanBounds(count: number, trues: number): ValueBounds {
  return { min: Uint8Array.of(trues === count ? 1 : 0), max: Uint8Array.of(trues > 0 ? 1 : 0) };
}

/** Bounds of UTF-8 texts; undefined if one is too long. */
export function textBounds(min: Uint8Array, max: Uint8Array): ValueBounds | undefined {
  return Math.max(min.length, max.length) <= MAX_BOUND_BYTES ? { min, max } : undefined;
}

function writeStatistics(thrift: ThriftWriter, { nullCount, bounds }: Statistics): void {
  thrift.i64(3, nullCount);
  if (!bounds) return;
  thrift.binary(5, bounds.max);
  thrift.binary(6, bounds.min);
}

import { VERSION } from '../../base/version.js';
import { ByteWriter } from '../byte-writer.js';
import type { Compression } from '../compression/compressor.js';
import type { ChunkMetadata } from './column-chunk.js';
import { Codec } from './format-constants.js';
import { type ParquetColumn, writeSchema } from './parquet-schema.js';
import { writeStatistics } from './statistics.js';
import { ThriftWriter } from './thrift-writer.js';

/** A row group in a file, at a byte offset. */
export interface WrittenRowGroup {
  readonly offset: number;
  readonly rows: number;
  readonly columns: readonly ChunkMetadata[];
}

export interface FileMetadata {
  readonly columns: readonly ParquetColumn[];
  readonly rows: number;
  /** Encoded by `encodeRowGroup`. */
  readonly rowGroups: readonly Uint8Array[];
  readonly keyValues: Readonly<Record<string, string>>;
}

/**
 * Encodes the footer's FileMetaData struct (parquet.thrift), without its length and the final magic bytes.
 */
export function encodeFileMetadata({ columns, rows, rowGroups, keyValues }: FileMetadata): Uint8Array {
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
export function encodeRowGroup(
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

import { type Column, LEADING_COLUMNS } from '../../day-files/data-types.js';
import type { Schema } from '../batch.js';
import type { Compression } from '../compressor.js';
import type { ThriftWriter } from './thrift.js';

/**
 * Enum values of the format:
 * https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
 */
export const PhysicalType = {
  boolean: 0,
  int32: 1,
  int64: 2,
  int96: 3,
  float: 4,
  double: 5,
  byteArray: 6,
  fixedLengthByteArray: 7,
} as const;

export const Repetition = { required: 0, optional: 1, repeated: 2 } as const;

export const ConvertedType = {
  utf8: 0,
  decimal: 5,
  date: 6,
  timestampMillis: 9,
  timestampMicros: 10,
  uint8: 11,
  uint32: 13,
  uint64: 14,
} as const;

/** Fields of the LogicalType union. */
export const LogicalType = {
  string: 1,
  enum: 4,
  decimal: 5,
  date: 6,
  time: 7,
  timestamp: 8,
  integer: 10,
  json: 12,
  uuid: 14,
  float16: 15,
} as const;

/** Fields of the TimeUnit union. */
export const TimeUnit = { millis: 1, micros: 2, nanos: 3 } as const;

export const Encoding = {
  plain: 0,
  plainDictionary: 2,
  rle: 3,
  deltaBinaryPacked: 5,
  deltaLengthByteArray: 6,
  deltaByteArray: 7,
  rleDictionary: 8,
  byteStreamSplit: 9,
} as const;

export type EncodingId = (typeof Encoding)[keyof typeof Encoding];

export const PageType = { data: 0, dictionary: 2, dataV2: 3 } as const;

/** Compression codecs by the values of `--compression` that Parquet supports. */
export const Codec = { none: 0, snappy: 1, gzip: 2, zstd: 6 } as const;

/** A Parquet file begins and ends with these four bytes. */
export const PARQUET_MAGIC: Uint8Array = Buffer.from('PAR1');

/** Parquet types of columns: times `int` is plain INT64, numbers `string` keeps the CSV's text. */
export interface ParquetColumnOptions {
  readonly times: 'timestamp' | 'int';
  readonly numbers: 'double' | 'string';
}

export interface ParquetColumn {
  readonly name: string;
  /** Whether cells must not be empty; true for the leading columns. */
  readonly required: boolean;
  readonly type: number;
  /** Bytes of a value, if the type is a byte array of fixed length. */
  readonly typeLength?: number | undefined;
  readonly logicalType: 'string' | 'timestamp' | UnsignedType | undefined;
}

/** Unsigned integers, with their bits. */
const UNSIGNED_BITS = { uint8: 8, uint32: 32, uint64: 64 } as const;

export type UnsignedType = keyof typeof UNSIGNED_BITS;

/** The columns of a file, with the types of docs/spec/parquet-mapping.md#types. */
export function toParquetColumns(schema: Schema, options: ParquetColumnOptions): readonly ParquetColumn[] {
  return schema.map((column) => ({
    name: column.name,
    required: LEADING_COLUMNS.some(({ name, kind }) => name === column.name && kind === column.kind),
    ...toParquetType(column, options),
  }));
}

function toParquetType(
  { kind }: Column,
  { times, numbers }: ParquetColumnOptions,
): Pick<ParquetColumn, 'type' | 'logicalType'> {
  if (kind === 'boolean') return { type: PhysicalType.boolean, logicalType: undefined };
  if (kind === 'integer') return { type: PhysicalType.int64, logicalType: undefined };
  if (kind === 'time') {
    return { type: PhysicalType.int64, logicalType: times === 'timestamp' ? 'timestamp' : undefined };
  }
  if (kind === 'number' && numbers === 'double') {
    return { type: PhysicalType.double, logicalType: undefined };
  }
  return { type: PhysicalType.byteArray, logicalType: 'string' };
}

/** Writes the list of SchemaElements: the root, then each column. */
export function writeSchema(thrift: ThriftWriter, id: number, columns: readonly ParquetColumn[]): void {
  thrift.structs(id, [undefined, ...columns], (column) => {
    if (column) return writeColumn(thrift, column);
    thrift.string(4, 'schema');
    thrift.i32(5, columns.length);
  });
}

function writeColumn(
  thrift: ThriftWriter,
  { name, type, typeLength, required, logicalType }: ParquetColumn,
): void {
  thrift.i32(1, type);
  if (typeLength !== undefined) thrift.i32(2, typeLength);
  thrift.i32(3, required ? Repetition.required : Repetition.optional);
  thrift.string(4, name);
  if (logicalType === undefined) return;
  if (logicalType === 'string') {
    thrift.i32(6, ConvertedType.utf8);
    thrift.struct(10, () => thrift.struct(LogicalType.string, () => {}));
  } else if (logicalType === 'timestamp') {
    thrift.i32(6, ConvertedType.timestampMicros);
    thrift.struct(10, () => thrift.struct(LogicalType.timestamp, () => writeTimestampType(thrift)));
  } else {
    thrift.i32(6, ConvertedType[logicalType]);
    thrift.struct(10, () =>
      thrift.struct(LogicalType.integer, () => writeUnsignedType(thrift, UNSIGNED_BITS[logicalType])),
    );
  }
}

function writeUnsignedType(thrift: ThriftWriter, bits: number): void {
  const isSigned = false;
  thrift.i8(1, bits);
  thrift.boolean(2, isSigned);
}

function writeTimestampType(thrift: ThriftWriter): void {
  const isAdjustedToUtc = true;
  thrift.boolean(1, isAdjustedToUtc);
  const micros = 2;
  thrift.struct(2, () => thrift.struct(micros, () => {}));
}

export interface ParquetOptions extends ParquetColumnOptions {
  readonly schema: Schema;
  readonly compression: Compression;
  readonly encodings?: 'plain' | undefined;
}

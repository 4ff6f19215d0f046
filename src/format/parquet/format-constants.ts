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

import { Builder } from 'flatbuffers';
import type { Column } from '../../day-files/data-types.js';
import type { Schema } from '../batch.js';
import type { OutputOptions } from '../output-format.js';

/** Fields and metadata of Arrow data, independent of the columns of day files . */
export interface ArrowSchema {
  readonly fields: readonly ArrowField[];
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

export interface ArrowField {
  readonly name: string;
  readonly type: ArrowType;
  readonly nullable: boolean;
  /** Set for a column of values in a dictionary, by signed positions. */
  readonly dictionaryId?: number | undefined;
  /** Bits of these positions; by default 32. */
  readonly dictionaryBits?: 8 | 16 | 32 | 64 | undefined;
}

/** The types that tickhaul writes. */
export type ArrowType =
  | { readonly name: 'null' | 'bool' | 'double' | 'utf8' | 'binary' }
  | { readonly name: 'int'; readonly bits: 8 | 16 | 32 | 64; readonly isSigned: boolean }
  | { readonly name: 'timestamp'; readonly unit: ArrowTimeUnit; readonly timezone: string | undefined }
  | { readonly name: 'fixedSizeBinary'; readonly bytes: number }
  | { readonly name: 'list'; readonly item: ArrowField }
  | { readonly name: 'struct'; readonly fields: readonly ArrowField[] };

/** In the order of the format: the index is the unit's number. */
export const ARROW_TIME_UNITS = ['s', 'ms', 'us', 'ns'] as const;

export type ArrowTimeUnit = (typeof ARROW_TIME_UNITS)[number];

type ArrowColumnOptions = Pick<OutputOptions, 'times' | 'numbers'>;

/** Microseconds since the epoch, UTC. */
export const TIME_TYPE = { name: 'timestamp', unit: 'us', timezone: 'UTC' } as const satisfies ArrowType;

const LONG_TYPE = { name: 'int', bits: 64, isSigned: true } as const satisfies ArrowType;

/** The fields of a file's columns, with the types of docs/spec/arrow-mapping.md#types. */
export function toArrowSchema(schema: Schema, options: ArrowColumnOptions): ArrowSchema {
  return {
    fields: schema.map((column) => ({
      name: column.name,
      type: toArrowType(column, options),
      nullable: true,
    })),
  };
}

function toArrowType({ kind }: Column, { times, numbers }: ArrowColumnOptions): ArrowType {
  switch (kind) {
    case 'time':
      return times === 'int' ? LONG_TYPE : TIME_TYPE;
    case 'integer':
      return LONG_TYPE;
    case 'boolean':
      return { name: 'bool' };
    case 'number':
      return { name: numbers === 'string' ? 'utf8' : 'double' };
    case 'text':
      return { name: 'utf8' };
  }
}

/** Numbers of the union MessageHeader (Message.fbs). */
export const MessageHeader = { schema: 1, dictionaryBatch: 2, recordBatch: 3 } as const;

/** Version of the metadata, V5 (Schema.fbs). */
export const METADATA_VERSION = 4;

/** Marks the start of a message; before Arrow 0.15 there was none. */
export const CONTINUATION = 0xffffffff;

/** Size of the continuation marker and of the metadata's length. */
export const MESSAGE_PREFIX_BYTES = 8;

/** Messages, bodies and buffers begin at multiples of this. */
const ARROW_ALIGNMENT = 8;

/** A message without metadata, which ends a stream. */
export const END_OF_STREAM = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);
/** The start of a message without its metadata. Readers refuse it, but take a stream that just stops for complete. */
export const BROKEN_MESSAGE = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 8, 0, 0, 0);

/**
 * Encodes a message up to its body (https://arrow.apache.org/docs/format/Columnar.html#encapsulated-message-format).
 * @param writeHeader writes the header; returns its offset.
 * @param bodyLength size of the body in bytes, which the caller writes after the message.
 */
export function encodeMessage(
  header: (typeof MessageHeader)[keyof typeof MessageHeader],
  bodyLength: number,
  writeHeader: (builder: Builder) => number,
): Uint8Array {
  const builder = new Builder(1024);
  const offset = writeHeader(builder);
  builder.startObject(5);
  builder.addFieldInt64(3, BigInt(bodyLength), 0n);
  builder.addFieldOffset(2, offset, 0);
  builder.addFieldInt16(0, METADATA_VERSION, 0);
  builder.addFieldInt8(1, header, 0);
  builder.finish(builder.endObject());
  const metadata = builder.asUint8Array();
  const length = alignLength(metadata.length);
  const bytes = new Uint8Array(MESSAGE_PREFIX_BYTES + length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, CONTINUATION, true);
  view.setInt32(4, length, true);
  bytes.set(metadata, MESSAGE_PREFIX_BYTES);
  return bytes;
}

/** The next multiple of `ARROW_ALIGNMENT`. */
export function alignLength(bytes: number): number {
  return Math.ceil(bytes / ARROW_ALIGNMENT) * ARROW_ALIGNMENT;
}

/** Writes a vector of offsets to tables. */
function writeTables(builder: Builder, offsets: readonly number[]): number {
  builder.startVector(4, offsets.length, 4);
  for (const offset of offsets.toReversed()) builder.addOffset(offset);
  return builder.endVector();
}

/** Writes a vector of structs; `writeStruct` writes the fields of one, the last field first. */
export function writeStructs<T>(
  builder: Builder,
  bytes: number,
  items: readonly T[],
  writeStruct: (item: T) => void,
): number {
  builder.startVector(bytes, items.length, ARROW_ALIGNMENT);
  for (const item of items.toReversed()) {
    builder.prep(ARROW_ALIGNMENT, bytes);
    writeStruct(item);
  }
  return builder.endVector();
}

/** Writes a vector of KeyValue tables; 0 if there are no pairs. */
export function writeKeyValues(
  builder: Builder,
  pairs: Readonly<Record<string, string>> | undefined,
): number {
  const entries = Object.entries(pairs ?? {});
  if (entries.length === 0) return 0;
  const offsets = entries.map(([key, value]) => {
    const keyOffset = builder.createString(key);
    const valueOffset = builder.createString(value);
    builder.startObject(2);
    builder.addFieldOffset(0, keyOffset, 0);
    builder.addFieldOffset(1, valueOffset, 0);
    return builder.endObject();
  });
  return writeTables(builder, offsets);
}

/** Numbers of the union Type (Schema.fbs). */
export const TypeNumber = {
  null: 1,
  int: 2,
  double: 3,
  binary: 4,
  utf8: 5,
  bool: 6,
  timestamp: 10,
  list: 12,
  struct: 13,
  fixedSizeBinary: 15,
} as const satisfies Record<ArrowType['name'], number>;

const DOUBLE_PRECISION = 2;

/** Encodes a schema as a message, as it begins a stream and as `ARROW:schema` of Parquet files holds it (in base64). */
export function encodeSchemaMessage(schema: ArrowSchema): Uint8Array {
  return encodeMessage(MessageHeader.schema, 0, (builder) => writeArrowSchema(builder, schema));
}

/** Writes a Schema table; returns its offset. */
export function writeArrowSchema(builder: Builder, { fields, metadata }: ArrowSchema): number {
  const fieldsOffset = writeFields(builder, fields);
  const metadataOffset = writeKeyValues(builder, metadata);
  builder.startObject(4);
  builder.addFieldOffset(1, fieldsOffset, 0);
  builder.addFieldOffset(2, metadataOffset, 0);
  return builder.endObject();
}

function writeFields(builder: Builder, fields: readonly ArrowField[]): number {
  return writeTables(
    builder,
    fields.map((field) => writeField(builder, field)),
  );
}

function writeField(
  builder: Builder,
  { name, type, nullable, dictionaryId, dictionaryBits }: ArrowField,
): number {
  // Arrow's C++ reader requires the list of children, even if it is empty.
  const children = writeFields(builder, childrenOf(type));
  const nameOffset = builder.createString(name);
  const typeOffset = writeType(builder, type);
  const dictionary = dictionaryId === undefined ? 0 : writeDictionary(builder, dictionaryId, dictionaryBits);
  builder.startObject(7);
  builder.addFieldOffset(0, nameOffset, 0);
  builder.addFieldOffset(3, typeOffset, 0);
  builder.addFieldOffset(4, dictionary, 0);
  builder.addFieldOffset(5, children, 0);
  builder.addFieldInt8(1, nullable ? 1 : 0, 0);
  builder.addFieldInt8(2, TypeNumber[type.name], 0);
  return builder.endObject();
}

/** Writes a DictionaryEncoding table; returns its offset. */
function writeDictionary(builder: Builder, id: number, bits: 8 | 16 | 32 | 64 = 32): number {
  const positions = writeType(builder, { name: 'int', bits, isSigned: true });
  builder.startObject(4);
  builder.addFieldInt64(0, BigInt(id), 0n);
  builder.addFieldOffset(1, positions, 0);
  return builder.endObject();
}

function childrenOf(type: ArrowType): readonly ArrowField[] {
  if (type.name === 'list') return [type.item];
  return type.name === 'struct' ? type.fields : [];
}

function writeType(builder: Builder, type: ArrowType): number {
  switch (type.name) {
    case 'int':
      builder.startObject(2);
      builder.addFieldInt32(0, type.bits, 0);
      builder.addFieldInt8(1, type.isSigned ? 1 : 0, 0);
      break;
    case 'double':
      builder.startObject(1);
      builder.addFieldInt16(0, DOUBLE_PRECISION, 0);
      break;
    case 'timestamp': {
      const timezone = type.timezone === undefined ? 0 : builder.createString(type.timezone);
      builder.startObject(2);
      builder.addFieldOffset(1, timezone, 0);
      builder.addFieldInt16(0, ARROW_TIME_UNITS.indexOf(type.unit), 0);
      break;
    }
    case 'fixedSizeBinary':
      builder.startObject(1);
      builder.addFieldInt32(0, type.bytes, 0);
      break;
    default:
      builder.startObject(0);
  }
  return builder.endObject();
}

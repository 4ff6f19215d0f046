import type { Builder } from 'flatbuffers';
import { encodeMessage, MessageHeader, writeKeyValues, writeTables } from './arrow-message.js';
import { ARROW_TIME_UNITS, type ArrowField, type ArrowSchema, type ArrowType } from './arrow-schema.js';

/** Numbers of the union Type (Schema.fbs). */
export const TypeNumber = {
  null: 1,
  int: 2,
  double: 3,
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

function writeField(builder: Builder, { name, type, nullable, dictionaryId }: ArrowField): number {
  // Arrow's C++ reader requires the list of children, even if it is empty.
  const children = writeFields(builder, childrenOf(type));
  const nameOffset = builder.createString(name);
  const typeOffset = writeType(builder, type);
  const dictionary = dictionaryId === undefined ? 0 : writeDictionary(builder, dictionaryId);
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
function writeDictionary(builder: Builder, id: number): number {
  const positions = writeType(builder, { name: 'int', bits: 32, isSigned: true });
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

import { ConvertedType, LogicalType, PhysicalType, TimeUnit } from './format-constants.js';
import type { ThriftStruct, ThriftValue } from './thrift-reader.js';

/** A bound of a column. Integers are numbers if these are exact; times are microseconds, UTC. */
export type Bound = number | bigint | boolean | string;

/** Type of a column. */
export interface ColumnType {
  /**
   * `timestamp`, `string`, `date`, `uint8`, `decimal(18,4)` …, else the physical type: `boolean`, `int64`,
   * `double`.
   */
  readonly name: string;
  /** Decodes a bound in the footer; undefined if its form is unknown. */
  readonly decode: (bytes: Buffer) => Bound | undefined;
}

const decodeUnknown = (): undefined => undefined;

/** The type of a SchemaElement, by its LogicalType, else by the older ConvertedType (parquet.thrift). */
export function parseColumnType(element: ThriftStruct): ColumnType {
  const physical = element.get(1);
  const converted = element.get(6);
  const [logical, details] = parseLogicalType(element);
  const physicalName = Object.entries(PhysicalType).find(([, id]) => id === physical)?.[0] ?? 'unknown';
  const integer = physical === PhysicalType.int32 || physical === PhysicalType.int64;

  if (logical === LogicalType.timestamp && integer) return createTimestampType(parseTimeUnit(details));
  if (logical !== undefined) return parseLogicalColumn(logical, details, physicalName);
  if (converted === ConvertedType.timestampMillis) return createTimestampType(TimeUnit.millis);
  if (converted === ConvertedType.timestampMicros) return createTimestampType(TimeUnit.micros);
  if (converted === ConvertedType.utf8) return { name: 'string', decode: utf8 };
  if (converted === ConvertedType.date) return { name: 'date', decode: decodeDate };
  if (physical === PhysicalType.int96) return { name: 'timestamp', decode: decodeUnknown };
  if (converted === undefined)
    return { name: physicalName, decode: PLAIN_DECODERS[physicalName] ?? decodeUnknown };
  const [name, decode] = CONVERTED_TYPES[Number(converted)] ?? [physicalName, decodeUnknown];
  return { name, decode };
}

const CONVERTED_TYPES: Readonly<Record<number, readonly [string, ColumnType['decode']]>> = {
  4: ['enum', utf8],
  5: ['decimal', decodeUnknown],
  7: ['time', decodeUnknown],
  8: ['time', decodeUnknown],
  11: ['uint8', uint32],
  12: ['uint16', uint32],
  13: ['uint32', uint32],
  14: ['uint64', uint64],
  15: ['int8', int32],
  16: ['int16', int32],
  17: ['int32', int32],
  18: ['int64', int64],
  19: ['json', utf8],
  21: ['interval', decodeUnknown],
};

function parseLogicalColumn(logical: number, details: ThriftStruct, physical: string): ColumnType {
  switch (logical) {
    case LogicalType.string:
      return { name: 'string', decode: utf8 };
    case LogicalType.enum:
      return { name: 'enum', decode: utf8 };
    case LogicalType.json:
      return { name: 'json', decode: utf8 };
    case LogicalType.date:
      return { name: 'date', decode: decodeDate };
    case LogicalType.decimal:
      return { name: `decimal(${details.get(2)},${details.get(1)})`, decode: decodeUnknown };
    case LogicalType.time:
      return { name: 'time', decode: decodeUnknown };
    case LogicalType.uuid:
      return { name: 'uuid', decode: decodeUnknown };
    case LogicalType.integer: {
      const isSigned = details.get(2) === true;
      const bits = Number(details.get(1));
      const decode = bits === 64 ? (isSigned ? int64 : uint64) : isSigned ? int32 : uint32;
      return { name: `${isSigned ? '' : 'u'}int${bits}`, decode };
    }
    default:
      return { name: physical, decode: decodeUnknown };
  }
}

/** The field of the LogicalType union that is set. */
function parseLogicalType(element: ThriftStruct): readonly [number | undefined, ThriftStruct] {
  const [field] = asStruct(element.get(10));
  return field ? [field[0], asStruct(field[1])] : [undefined, new Map()];
}

function parseTimeUnit(details: ThriftStruct): number | undefined {
  const [field] = asStruct(details.get(2));
  return field?.[0];
}

function createTimestampType(unit: number | undefined): ColumnType {
  const decode = (bytes: Buffer): Bound | undefined => {
    if (bytes.length !== 8) return undefined;
    const value = bytes.readBigInt64LE();
    if (unit === TimeUnit.millis) return toSafeNumber(value * 1000n);
    if (unit === TimeUnit.micros) return toSafeNumber(value);
    return unit === TimeUnit.nanos ? toSafeNumber(value / 1000n) : undefined;
  };
  return { name: 'timestamp', decode };
}

const PLAIN_DECODERS: Readonly<Record<string, ColumnType['decode']>> = {
  boolean: (bytes) => (bytes.length === 1 ? bytes[0] === 1 : undefined),
  int32,
  int64,
  float: (bytes) => (bytes.length === 4 ? bytes.readFloatLE() : undefined),
  double: (bytes) => (bytes.length === 8 ? bytes.readDoubleLE() : undefined),
};

function utf8(bytes: Buffer): string {
  return bytes.toString();
}

function int32(bytes: Buffer): number | undefined {
  return bytes.length === 4 ? bytes.readInt32LE() : undefined;
}

function uint32(bytes: Buffer): number | undefined {
  return bytes.length === 4 ? bytes.readUInt32LE() : undefined;
}

function int64(bytes: Buffer): Bound | undefined {
  return bytes.length === 8 ? toSafeNumber(bytes.readBigInt64LE()) : undefined;
}

function uint64(bytes: Buffer): Bound | undefined {
  return bytes.length === 8 ? toSafeNumber(bytes.readBigUInt64LE()) : undefined;
}

/** Days since 1970-01-01 as `YYYY-MM-DD`. */
function decodeDate(bytes: Buffer): string | undefined {
  const days = int32(bytes);
  const date = new Date((days ?? Number.NaN) * 86_400_000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace(/T.*/, '');
}

function toSafeNumber(value: bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function asStruct(value: ThriftValue | undefined): ThriftStruct {
  return value instanceof Map ? value : new Map();
}

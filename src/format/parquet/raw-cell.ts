import type { Cell } from '../inspection/file-content.js';
import { ConvertedType, LogicalType, PhysicalType, TimeUnit } from './format-constants.js';
import type { RawValue } from './page-values.js';
import type { ThriftStruct, ThriftValue } from './thrift-reader.js';

type ToCell = (value: RawValue) => Cell;

/** Returns a function that converts the stored values of a SchemaElement (parquet.thrift); times to microseconds. */
export function createCellConverter(element: ThriftStruct): ToCell {
  const physical = element.get(1);
  const converted = element.get(6);
  const [logical, details] = findLogicalType(element);
  const isInteger = physical === PhysicalType.int32 || physical === PhysicalType.int64;
  if (physical === PhysicalType.int96) return (value) => parseInt96(value as Buffer);
  if (logical === LogicalType.decimal || converted === ConvertedType.decimal) {
    const scale = Number(element.get(7) ?? details.get(1) ?? 0);
    return (value) => parseDecimal(value) * 10 ** -scale;
  }
  if (isInteger) {
    const timeUnit = findTimeUnit(converted, logical, details);
    if (timeUnit !== undefined) return (value) => toMicroseconds(value as number | bigint, timeUnit);
    if (logical === LogicalType.date || converted === ConvertedType.date)
      return (value) => toDate(Number(value));
    if (isUnsigned(converted, logical, details))
      return (value) =>
        toInteger(BigInt.asUintN(physical === PhysicalType.int32 ? 32 : 64, BigInt(value as number)));
    return (value) => toInteger(value as number | bigint);
  }
  if (UNSUPPORTED[Number(converted)])
    throw new RangeError(`${UNSUPPORTED[Number(converted)]} values are not supported`);
  if (physical === PhysicalType.byteArray) return String;
  if (physical !== PhysicalType.fixedLengthByteArray) return (value) => value as number | boolean;
  if (logical === LogicalType.uuid) return (value) => toUuid((value as Buffer).toString('hex'));
  if (logical === LogicalType.float16) return (value) => parseFloat16(value as Buffer);
  return (value) => `0x${(value as Buffer).toString('hex')}`;
}

/** Converted types without a form as a cell. */
const UNSUPPORTED: Readonly<Record<number, string>> = { 20: 'bson', 21: 'interval' };

function findLogicalType(element: ThriftStruct): readonly [number | undefined, ThriftStruct] {
  const [field] = struct(element.get(10));
  return field ? [field[0], struct(field[1])] : [undefined, new Map()];
}

function findTimeUnit(
  converted: ThriftValue | undefined,
  logical: number | undefined,
  details: ThriftStruct,
): number | undefined {
  if (converted === ConvertedType.timestampMillis) return TimeUnit.millis;
  if (converted === ConvertedType.timestampMicros) return TimeUnit.micros;
  return logical === LogicalType.timestamp
    ? ([...struct(details.get(2)).keys()][0] ?? TimeUnit.micros)
    : undefined;
}

function toMicroseconds(value: number | bigint, unit: number): Cell {
  if (unit === TimeUnit.millis) return toInteger(BigInt(value) * 1000n);
  return toInteger(unit === TimeUnit.nanos ? BigInt(value) / 1000n : value);
}

function toInteger(value: number | bigint): Cell {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** The converted types from `uint8` to `uint64`. */
function isUnsigned(
  converted: ThriftValue | undefined,
  logical: number | undefined,
  details: ThriftStruct,
): boolean {
  if (logical === LogicalType.integer) return details.get(2) === false;
  return Number(converted) >= ConvertedType.uint8 && Number(converted) <= ConvertedType.uint64;
}

function toDate(days: number): Cell {
  const date = new Date(days * 86_400_000);
  return Number.isNaN(date.getTime()) ? days : date.toISOString().replace(/T.*/, '');
}

const MAX_DECIMAL_BYTES = 32;

function parseDecimal(value: RawValue): number {
  if (!(value instanceof Uint8Array)) return Number(value);
  if (value.length > MAX_DECIMAL_BYTES) throw new RangeError(`a decimal number of ${value.length} bytes`);
  return value.length === 0
    ? 0
    : Number(BigInt.asIntN(8 * value.length, BigInt(`0x${value.toString('hex')}`)));
}

const JULIAN_DAY_OF_EPOCH = 2_440_588;

/** Nanoseconds of the day, then the Julian day. */
function parseInt96(value: Buffer): Cell {
  const days = BigInt(value.readInt32LE(8) - JULIAN_DAY_OF_EPOCH);
  return toInteger(days * 86_400_000_000n + value.readBigInt64LE(0) / 1000n);
}

function parseFloat16(value: Buffer): Cell {
  const bits = value.readUInt16LE(0);
  const sign = bits >= 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 31;
  const fraction = (bits & 1023) / 1024;
  if (exponent === 0) return sign * 2 ** -14 * fraction;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * 2 ** (exponent - 15) * (1 + fraction);
}

function toUuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function struct(value: ThriftValue | undefined): ThriftStruct {
  return value instanceof Map ? value : new Map();
}

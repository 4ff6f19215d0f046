import { ConvertedType, LogicalType, PhysicalType, Repetition, TimeUnit } from './parquet-schema.js';
import type { ThriftStruct, ThriftValue } from './thrift.js';

/** A column over all row groups. Values that the file does not state are undefined. */
export interface ColumnSummary {
  /** For a nested column its path, with dots. */
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly nulls: number | undefined;
  readonly min: Bound | undefined;
  readonly max: Bound | undefined;
}

/** A column with values. */
export interface Leaf {
  /** For a nested column its path, with dots. */
  readonly name: string;
  /** SchemaElement of parquet.thrift. */
  readonly element: ThriftStruct;
  readonly isNested: boolean;
}

/** Statistics of a column chunk in the footer. */
interface ChunkStatistics {
  readonly values: number;
  readonly nulls: number | undefined;
  readonly min: Uint8Array | undefined;
  readonly max: Uint8Array | undefined;
}

/** Longer bounds are left out: they only take memory. */
const MAX_BOUND_BYTES = 4096;

/** Summarizes the columns of row groups, which are added one at a time. */
export class ColumnSummarizer {
  readonly leaves: readonly Leaf[];
  readonly #columns: readonly ColumnBounds[];

  constructor(leaves: readonly Leaf[]) {
    this.leaves = leaves;
    this.#columns = leaves.map(({ element }) => new ColumnBounds(parseColumnType(element)));
  }

  /** @param group RowGroup of parquet.thrift. @throws RangeError if it has other columns. */
  add(group: ThriftStruct): void {
    const chunks = list(group.get(1));
    if (chunks.length !== this.leaves.length)
      throw new RangeError('a row group has other columns than its schema');
    for (const [i, column] of this.#columns.entries()) column.add(parseChunkStatistics(chunks[i]));
  }

  summarize(): ColumnSummary[] {
    return this.#columns.map(({ type, nulls, min, max }, i) => {
      const { name, element } = this.leaves[i] as Leaf;
      const required = element.get(3) === Repetition.required;
      return { name, type: type.name, required, nulls, min, max };
    });
  }
}

/** Nulls and bounds of one column over the row groups so far. */
class ColumnBounds {
  readonly type: ColumnType;
  nulls: number | undefined = 0;
  min: Bound | undefined;
  max: Bound | undefined;
  /** Whether no chunk had values so far. */
  #isEmpty = true;

  constructor(type: ColumnType) {
    this.type = type;
  }

  add({ values, nulls, min, max }: ChunkStatistics): void {
    this.nulls = this.nulls === undefined || nulls === undefined ? undefined : this.nulls + nulls;
    if (values === nulls) return;
    const bounds = { min: this.#decode(min), max: this.#decode(max) };
    const isFirst = this.#isEmpty;
    this.#isEmpty = false;
    if (isFirst || isOutside(bounds.min, this.min, -1)) this.min = bounds.min;
    if (isFirst || isOutside(bounds.max, this.max, 1)) this.max = bounds.max;
  }

  #decode(bytes: Uint8Array | undefined): Bound | undefined {
    return bytes && bytes.length <= MAX_BOUND_BYTES ? this.type.decode(Buffer.from(bytes)) : undefined;
  }
}

/** Whether a bound replaces the one so far. If a chunk with values has none, the column has none. */
function isOutside(bound: Bound | undefined, known: Bound | undefined, sign: 1 | -1): boolean {
  return known !== undefined && (bound === undefined || sign * compare(bound, known) > 0);
}

/**
 * The elements with values, of a tree in depth-first order.
 * @param schema SchemaElements without the root.
 */
export function listLeaves(schema: readonly ThriftStruct[]): readonly Leaf[] {
  const leaves: Leaf[] = [];
  // Open groups with the path and the number of their remaining children.
  const open: { path: string; remaining: number }[] = [];
  for (const element of schema) {
    while (open.at(-1)?.remaining === 0) open.pop();
    const group = open.at(-1);
    if (group) group.remaining--;
    const name = utf8(element.get(4)) ?? '';
    const path = group ? `${group.path}.${name}` : name;
    if (path.length > MAX_PATH_CHARACTERS) throw new RangeError('the name of a column is too long');
    const isRepeated = element.get(3) === Repetition.repeated;
    if (element.get(5) !== undefined) open.push({ path, remaining: Number(element.get(5)) });
    else leaves.push({ name: path, element, isNested: group !== undefined || isRepeated });
  }
  return leaves;
}

const MAX_PATH_CHARACTERS = 1024;

function parseChunkStatistics(chunk: ThriftValue | undefined): ChunkStatistics {
  const metadata = asStruct(asStruct(chunk).get(3));
  const statistics = asStruct(metadata.get(12));
  const values = metadata.get(5);
  const nulls = statistics.get(3);
  return {
    values: typeof values === 'number' ? values : 0,
    nulls: typeof nulls === 'number' ? nulls : undefined,
    // A truncated text is not a value of the column.
    max: statistics.get(7) === false ? undefined : binary(statistics.get(5)),
    min: statistics.get(8) === false ? undefined : binary(statistics.get(6)),
  };
}

/** Compares texts by their UTF-8 bytes, as Parquet does; the order of UTF-16 differs for some characters. */
function compare(a: Bound, b: Bound): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

function list(value: ThriftValue | undefined): readonly ThriftValue[] {
  return Array.isArray(value) ? value : [];
}

function binary(value: ThriftValue | undefined): Uint8Array | undefined {
  return value instanceof Uint8Array ? value : undefined;
}

function utf8(value: ThriftValue | undefined): string | undefined {
  return value instanceof Uint8Array ? Buffer.from(value).toString() : undefined;
}

/** A bound of a column. Integers are numbers if these are exact; times are microseconds, UTC. */
export type Bound = number | bigint | boolean | string;

/** Type of a column. */
interface ColumnType {
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
function parseColumnType(element: ThriftStruct): ColumnType {
  const physical = element.get(1);
  const converted = element.get(6);
  const [logical, details] = parseLogicalType(element);
  const physicalName = Object.entries(PhysicalType).find(([, id]) => id === physical)?.[0] ?? 'unknown';
  const integer = physical === PhysicalType.int32 || physical === PhysicalType.int64;

  if (logical === LogicalType.timestamp && integer) return createTimestampType(parseTimeUnit(details));
  if (logical !== undefined) return parseLogicalColumn(logical, details, physicalName);
  if (converted === ConvertedType.timestampMillis) return createTimestampType(TimeUnit.millis);
  if (converted === ConvertedType.timestampMicros) return createTimestampType(TimeUnit.micros);
  if (converted === ConvertedType.utf8) return { name: 'string', decode: toText };
  if (converted === ConvertedType.date) return { name: 'date', decode: decodeDate };
  if (physical === PhysicalType.int96) return { name: 'timestamp', decode: decodeUnknown };
  if (converted === undefined)
    return { name: physicalName, decode: PLAIN_DECODERS[physicalName] ?? decodeUnknown };
  const [name, decode] = CONVERTED_TYPES[Number(converted)] ?? [physicalName, decodeUnknown];
  return { name, decode };
}

const CONVERTED_TYPES: Readonly<Record<number, readonly [string, ColumnType['decode']]>> = {
  4: ['enum', toText],
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
  19: ['json', toText],
  21: ['interval', decodeUnknown],
};

function parseLogicalColumn(logical: number, details: ThriftStruct, physical: string): ColumnType {
  switch (logical) {
    case LogicalType.string:
      return { name: 'string', decode: toText };
    case LogicalType.enum:
      return { name: 'enum', decode: toText };
    case LogicalType.json:
      return { name: 'json', decode: toText };
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
export function parseLogicalType(element: ThriftStruct): readonly [number | undefined, ThriftStruct] {
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

function toText(bytes: Buffer): string {
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

export function asStruct(value: ThriftValue | undefined): ThriftStruct {
  return value instanceof Map ? value : new Map();
}

import { ConvertedType, PhysicalType, Repetition } from './format.js';
import type { ThriftStruct, ThriftValue } from './thrift-read.js';

/** A bound of a column: integers as numbers where these are exact; times are microseconds, UTC. */
export type Bound = number | bigint | boolean | string;

/** A column over all row groups. What the file doesn't say is undefined. */
export interface ColumnSummary {
  readonly name: string;
  /** `timestamp`, `string`, or the physical type: `boolean`, `int64`, `double` … */
  readonly type: string;
  readonly required: boolean;
  readonly nulls: number | undefined;
  readonly min: Bound | undefined;
  readonly max: Bound | undefined;
}

/** Statistics of one column chunk as they stand in the footer. */
interface ChunkStatistics {
  readonly values: number;
  readonly nulls: number | undefined;
  readonly min: Uint8Array | undefined;
  readonly max: Uint8Array | undefined;
}

/** The columns of a flat schema, by the SchemaElements and RowGroups of parquet.thrift. */
export function columnSummaries(
  schema: readonly ThriftStruct[],
  rowGroups: readonly ThriftStruct[],
): ColumnSummary[] {
  const leaves = schema.filter((element) => element.get(5) === undefined);
  return leaves.map((element, i) => {
    const type = typeName(element);
    const chunks = rowGroups.map((group) => chunkStatistics(list(group.get(1))[i]));
    const nulls = chunks.map((chunk) => chunk.nulls);
    return {
      name: utf8(element.get(4)) ?? '',
      type,
      required: element.get(3) === Repetition.required,
      nulls: nulls.reduce(
        (sum, count) => (sum === undefined || count === undefined ? undefined : sum + count),
        0,
      ),
      min: extreme(type, chunks, 'min'),
      max: extreme(type, chunks, 'max'),
    };
  });
}

function typeName(element: ThriftStruct): string {
  const convertedType = element.get(6);
  if (convertedType === ConvertedType.utf8) return 'string';
  if (convertedType === ConvertedType.timestampMicros) return 'timestamp';
  const names = Object.entries(PhysicalType);
  return names.find(([, id]) => id === element.get(1))?.[0] ?? 'unknown';
}

function chunkStatistics(chunk: ThriftValue | undefined): ChunkStatistics {
  const metadata = struct(struct(chunk)?.get(3));
  const statistics = struct(metadata?.get(12));
  const values = metadata?.get(5);
  const nulls = statistics?.get(3);
  return {
    values: typeof values === 'number' ? values : 0,
    nulls: typeof nulls === 'number' ? nulls : undefined,
    max: binary(statistics?.get(5)),
    min: binary(statistics?.get(6)),
  };
}

/** The least of the minima or the greatest of the maxima; undefined when a chunk with values has no bound. */
function extreme(type: string, chunks: readonly ChunkStatistics[], which: 'min' | 'max'): Bound | undefined {
  const bounded = chunks.filter(({ values, nulls }) => values !== nulls);
  const bounds = bounded.map((chunk) => decode(type, chunk[which]));
  const sign = which === 'min' ? -1 : 1;
  return bounds.reduce((best, bound) => {
    if (best === undefined || bound === undefined) return undefined;
    return sign * compare(bound, best) > 0 ? bound : best;
  }, bounds[0]);
}

function decode(type: string, bytes: Uint8Array | undefined): Bound | undefined {
  if (!bytes) return undefined;
  const buffer = Buffer.from(bytes);
  if (type === 'string') return buffer.toString();
  if (type === 'boolean' && buffer.length === 1) return buffer[0] === 1;
  if (type === 'double' && buffer.length === 8) return buffer.readDoubleLE();
  if (type === 'float' && buffer.length === 4) return buffer.readFloatLE();
  if (type === 'int32' && buffer.length === 4) return buffer.readInt32LE();
  if ((type === 'int64' || type === 'timestamp') && buffer.length === 8) {
    const value = buffer.readBigInt64LE();
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }
  return undefined;
}

/** Texts by their UTF-8 bytes, as Parquet orders them: UTF-16 would put some characters elsewhere. */
function compare(a: Bound, b: Bound): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

function list(value: ThriftValue | undefined): readonly ThriftValue[] {
  return Array.isArray(value) ? value : [];
}

function struct(value: ThriftValue | undefined): ThriftStruct | undefined {
  return value instanceof Map ? value : undefined;
}

function binary(value: ThriftValue | undefined): Uint8Array | undefined {
  return value instanceof Uint8Array ? value : undefined;
}

function utf8(value: ThriftValue | undefined): string | undefined {
  return value instanceof Uint8Array ? Buffer.from(value).toString() : undefined;
}

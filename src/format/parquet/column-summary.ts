import { type Bound, type ColumnType, parseColumnType } from './column-type.js';
import { Repetition } from './format-constants.js';
import type { ThriftStruct, ThriftValue } from './thrift-reader.js';

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

/** Statistics of a column chunk in the footer. */
interface ChunkStatistics {
  readonly values: number;
  readonly nulls: number | undefined;
  readonly min: Uint8Array | undefined;
  readonly max: Uint8Array | undefined;
}

/** Summarizes the columns. @param schema SchemaElements without the root (parquet.thrift). */
export function summarizeColumns(
  schema: readonly ThriftStruct[],
  rowGroups: readonly ThriftStruct[],
): ColumnSummary[] {
  return listLeaves(schema).map(({ name, element }, i) => {
    const type = parseColumnType(element);
    const chunks = rowGroups.map((group) => parseChunkStatistics(list(group.get(1))[i]));
    const nulls = chunks.map((chunk) => chunk.nulls);
    return {
      name,
      type: type.name,
      required: element.get(3) === Repetition.required,
      nulls: nulls.reduce(
        (sum, count) => (sum === undefined || count === undefined ? undefined : sum + count),
        0,
      ),
      min: findExtreme(type, chunks, 'min'),
      max: findExtreme(type, chunks, 'max'),
    };
  });
}

/** Whether a SchemaElement has children. */
export function isSchemaGroup(element: ThriftStruct): boolean {
  return element.get(5) !== undefined;
}

/** The elements with values, of a tree in depth-first order. */
function listLeaves(schema: readonly ThriftStruct[]): { name: string; element: ThriftStruct }[] {
  const leaves: { name: string; element: ThriftStruct }[] = [];
  // Open groups with the number of their remaining children.
  const open: { name: string; remaining: number }[] = [];
  for (const element of schema) {
    while (open.at(-1)?.remaining === 0) open.pop();
    const group = open.at(-1);
    if (group) group.remaining--;
    const name = utf8(element.get(4)) ?? '';
    if (isSchemaGroup(element)) open.push({ name, remaining: Number(element.get(5)) });
    else leaves.push({ name: [...open.map((outer) => outer.name), name].join('.'), element });
  }
  return leaves;
}

function parseChunkStatistics(chunk: ThriftValue | undefined): ChunkStatistics {
  const metadata = struct(struct(chunk)?.get(3));
  const statistics = struct(metadata?.get(12));
  const values = metadata?.get(5);
  const nulls = statistics?.get(3);
  return {
    values: typeof values === 'number' ? values : 0,
    nulls: typeof nulls === 'number' ? nulls : undefined,
    // A truncated text is not a value of the column.
    max: statistics?.get(7) === false ? undefined : binary(statistics?.get(5)),
    min: statistics?.get(8) === false ? undefined : binary(statistics?.get(6)),
  };
}

/** The minimum of the minima or the maximum of the maxima; undefined if a chunk with values has no bound. */
function findExtreme(
  { decode }: ColumnType,
  chunks: readonly ChunkStatistics[],
  which: 'min' | 'max',
): Bound | undefined {
  const bounded = chunks.filter(({ values, nulls }) => values !== nulls);
  const bounds = bounded.map((chunk) => {
    const bytes = chunk[which];
    return bytes && decode(Buffer.from(bytes));
  });
  const sign = which === 'min' ? -1 : 1;
  return bounds.reduce((best, bound) => {
    if (best === undefined || bound === undefined) return undefined;
    return sign * compare(bound, best) > 0 ? bound : best;
  }, bounds[0]);
}

/** Compares texts by their UTF-8 bytes, as Parquet does; the order of UTF-16 differs for some characters. */
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

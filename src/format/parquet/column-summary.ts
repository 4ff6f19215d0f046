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

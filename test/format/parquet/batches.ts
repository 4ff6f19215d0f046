import type { ColumnKind } from '../../../src/dataset/data-types.js';
import type { Batch, ColumnData, Nulls, TextValues } from '../../../src/format/batch.js';
import { createBatchRowGroupEncoder } from '../../../src/format/parquet/encode/row-group-encoder.js';
import { toParquetColumns } from '../../../src/format/parquet/parquet-schema.js';
import { createParquetWriter } from '../../../src/format/parquet/parquet-writer.js';
import type { ParquetOptions } from '../../../src/format/parquet/row-group.js';
import { createMemorySink } from '../../helpers/memory-sink.js';

export type Cell = string | number | boolean | null;

/** A column of a test. With `dictionary`, the writer receives its text as a dictionary. */
export interface TestColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly cells: readonly Cell[];
  readonly dictionary?: boolean;
}

const DEFAULTS = { times: 'timestamp', numbers: 'double', compression: 'zstd' } as const;

/** The columns as one batch, or as batches of `rows` rows. */
export function batchesOf(columns: readonly TestColumn[], rows = Number.POSITIVE_INFINITY): Batch[] {
  const total = columns[0]?.cells.length ?? 0;
  const batches: Batch[] = [];
  for (let start = 0; start < total; start += rows) {
    const end = Math.min(total, start + rows);
    const data = columns.map((column) => columnData({ ...column, cells: column.cells.slice(start, end) }));
    batches.push({ rows: end - start, columns: data });
  }
  return batches;
}

/** Writes a Parquet file in memory. */
export async function parquetOf(
  columns: readonly TestColumn[],
  options: Partial<Omit<ParquetOptions, 'schema'>> & {
    rows?: number;
    keyValues?: Record<string, string>;
  } = {},
): Promise<Uint8Array> {
  const { rows, keyValues = {}, ...chosen } = options;
  const parquet = { ...DEFAULTS, ...chosen, schema: columns.map(({ name, kind }) => ({ name, kind })) };
  const encode = await createBatchRowGroupEncoder(parquet);
  const sink = createMemorySink();
  const writer = createParquetWriter(sink, toParquetColumns(parquet.schema, parquet), parquet.compression);
  for (const batch of batchesOf(columns, rows)) await writer.writeRowGroup(encode(batch));
  await writer.finish(keyValues);
  return sink.bytes();
}

function columnData({ kind, cells, dictionary }: TestColumn): ColumnData {
  const nulls = nullsOf(cells);
  const numbers = cells.map((cell) => (typeof cell === 'number' ? cell : 0));
  if (kind === 'time' || kind === 'integer') return { kind, values: Float64Array.from(numbers), ...nulls };
  if (kind === 'boolean') return { kind, values: Uint8Array.from(cells, (cell) => (cell ? 1 : 0)), ...nulls };
  const texts = cells.map((cell) => (cell === null ? '' : Object.is(cell, -0) ? '-0' : String(cell)));
  if (kind === 'number') return { kind, values: Float64Array.from(numbers), text: textOf(texts), ...nulls };
  if (!dictionary) return { kind, encoding: 'plain', text: textOf(texts), ...nulls };
  const distinct = [...new Set(texts.filter((_, i) => cells[i] !== null))];
  const indices = Int32Array.from(texts, (text) => Math.max(0, distinct.indexOf(text)));
  return { kind, encoding: 'dictionary', indices, dictionary: textOf(distinct), ...nulls };
}

function nullsOf(cells: readonly Cell[]): Nulls {
  const nulls = Uint8Array.from(cells, (cell) => (cell === null ? 1 : 0));
  const nullCount = nulls.reduce((sum, isNull) => sum + isNull, 0);
  return { nulls: nullCount > 0 ? nulls : undefined, nullCount };
}

function textOf(texts: readonly string[]): TextValues {
  const parts = texts.map((text) => new TextEncoder().encode(text));
  const offsets = new Int32Array(parts.length + 1);
  parts.forEach((part, i) => {
    offsets[i + 1] = (offsets[i] ?? 0) + part.length;
  });
  const bytes = new Uint8Array(offsets.at(-1) ?? 0);
  parts.forEach((part, i) => {
    bytes.set(part, offsets[i]);
  });
  return { bytes, offsets };
}

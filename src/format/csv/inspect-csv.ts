import type { ReadChunks } from '../../base/disk-files.js';
import { type Batch, type ColumnData, decodeTextAt, type Nulls, type TextValues } from '../batch.js';
import {
  type Cell,
  ColumnStats,
  EdgeRows,
  type FileContent,
  TIME_COLUMN,
  TimeOrder,
} from '../file-content.js';
import { readTextFile } from '../read-text-file.js';
import { RowReader } from './row-reader.js';

const BATCH_CELLS = 1024 * 1024;

const TYPE_NAMES = {
  time: 'timestamp',
  text: 'string',
  boolean: 'boolean',
  number: 'double',
  integer: 'int64',
} as const;

/**
 * Reads a `.csv`, `.csv.gz` or `.csv.zst` file to its end.
 * @param dataType undefined if it must be read from the header.
 * @param read reads the file's bytes.
 * @throws TickhaulError `corrupt`, `disk`, `usage`, and errors of `read`.
 */
export async function inspectCsv(
  path: string,
  dataType: string | undefined,
  read: ReadChunks,
  signal: AbortSignal,
): Promise<FileContent> {
  const batchRows = (columns: number): number => Math.max(1024, Math.floor(BATCH_CELLS / columns));
  const reader = new RowReader({ path, dataType, batchRows, numberText: 'none' });
  const stats: ColumnStats[] = [];
  const order = new TimeOrder();
  const edges = new EdgeRows<readonly Cell[]>();

  const addBatches = (batches: Iterable<Batch>): void => {
    for (const batch of batches) {
      const timeIndex = batch.schema.findIndex(({ name }) => name === TIME_COLUMN);
      batch.columns.forEach((column, i) => {
        stats[i] ??= new ColumnStats();
        addColumn(stats[i], column);
        if (i === timeIndex && column.kind === 'time') for (const time of column.values) order.add(time);
      });
      edges.add(batch.rows, (row) => batch.columns.map((column) => readCell(column, row)));
    }
  };

  const bytes = await readTextFile(path, (text) => addBatches(reader.push(text)), signal, read);
  addBatches(reader.end());
  const columns = reader.schema.map(({ name, kind }, i) => {
    const { nulls = 0, min, max } = stats[i] ?? {};
    return { name, type: TYPE_NAMES[kind], nulls, min, max };
  });
  return { bytes, rows: reader.rows, dataType: reader.dataType, columns, ...order.read(), ...edges.read() };
}

function addColumn(stats: ColumnStats, column: ColumnData): void {
  stats.nulls += column.nullCount;
  for (const extreme of findExtremes(column)) stats.add(extreme);
}

function readCell(column: ColumnData, row: number): Cell {
  if (column.nulls?.[row] === 1) return null;
  if (column.kind === 'boolean') return column.values[row] === 1;
  if (column.kind !== 'text') return column.values[row] ?? null;
  if (column.encoding === 'plain') return decodeTextAt(column.text, row);
  return decodeTextAt(column.dictionary, column.indices[row] ?? 0);
}

/** The minimum and maximum of a column without its nulls; empty if there are only nulls. */
function findExtremes(column: ColumnData): readonly NonNullable<Cell>[] {
  switch (column.kind) {
    case 'text': {
      // Each entry of a dictionary occurs in some row.
      if (column.encoding === 'dictionary') return findTextExtremes(column.dictionary, undefined);
      return findTextExtremes(column.text, column.nulls);
    }
    case 'boolean':
      return findNumberExtremes(column.values, column.nulls).map((value) => value === 1);
    default:
      return findNumberExtremes(column.values, column.nulls);
  }
}

function findNumberExtremes(values: Float64Array | Uint8Array, nulls: Nulls['nulls']): readonly number[] {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) {
    if (nulls?.[i] === 1) continue;
    const value = values[i] as number;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return min <= max ? [min, max] : [];
}

/** Compares texts by their UTF-8 bytes. */
function findTextExtremes(text: TextValues, nulls: Nulls['nulls']): readonly string[] {
  let min = -1;
  let max = -1;
  for (let i = 0; i < text.offsets.length - 1; i++) {
    if (nulls?.[i] === 1) continue;
    if (min < 0 || compare(text, i, min) < 0) min = i;
    if (max < 0 || compare(text, i, max) > 0) max = i;
  }
  return min < 0 ? [] : [decodeTextAt(text, min), decodeTextAt(text, max)];
}

function compare({ bytes, offsets }: TextValues, a: number, b: number): number {
  const fromA = offsets[a] as number;
  const fromB = offsets[b] as number;
  const lengthA = (offsets[a + 1] as number) - fromA;
  const lengthB = (offsets[b + 1] as number) - fromB;
  const shorter = Math.min(lengthA, lengthB);
  for (let i = 0; i < shorter; i++) {
    const difference = (bytes[fromA + i] as number) - (bytes[fromB + i] as number);
    if (difference !== 0) return difference;
  }
  return lengthA - lengthB;
}

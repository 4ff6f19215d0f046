import type { Batch, ColumnData } from '../format/batch.js';
import { DayFileReader } from '../format/csv/day-file-reader.js';
import type { ReadChunks } from '../integrity/read-chunks.js';
import { readSource } from '../integrity/read-source.js';
import { findExtremes, textAt } from './column-extremes.js';
import { ColumnStats } from './column-stats.js';
import { EdgeRows } from './edge-rows.js';
import { type Cell, type Inspection, TIME_COLUMN } from './inspection.js';
import { TimeOrder } from './time-order.js';

const BATCH_CELLS = 1024 * 1024;

const TYPE_NAMES = {
  time: 'timestamp',
  text: 'string',
  boolean: 'boolean',
  number: 'double',
  integer: 'int64',
} as const;

/**
 * Reads a `.csv.gz` to its end.
 * @param read how its bytes are read. @throws TickhaulError `createCorruptError`, `disk`, `usage`, and what `read` throws.
 */
export async function inspectCsv(
  path: string,
  dataType: string | undefined,
  read: ReadChunks,
  signal: AbortSignal,
): Promise<Inspection> {
  const batchRows = (columns: number): number => Math.max(1024, Math.floor(BATCH_CELLS / columns));
  const reader = new DayFileReader({ path, dataType, batchRows, numberText: false });
  const stats: ColumnStats[] = [];
  const order = new TimeOrder();
  const edges = new EdgeRows<readonly Cell[]>();

  const take = (batches: Iterable<Batch>): void => {
    for (const batch of batches) {
      const ordered = reader.schema.findIndex(({ name }) => name === TIME_COLUMN);
      batch.columns.forEach((column, i) => {
        stats[i] ??= new ColumnStats();
        addColumn(stats[i], column);
        if (i === ordered && column.kind === 'time') for (const time of column.values) order.add(time);
      });
      edges.add(batch.rows, (row) => batch.columns.map((column) => cellAt(column, row)));
    }
  };

  const { bytes } = await readSource(
    path,
    (text) => take(reader.push(text)),
    () => {},
    signal,
    read,
  );
  take(reader.end());
  const columns = reader.schema.map(({ name, kind }, i) => {
    const { nulls = 0, min, max } = stats[i] ?? {};
    return { name, type: TYPE_NAMES[kind], nulls, min, max };
  });
  const { rows } = reader;
  const found = { dataType: reader.dataType, columns, ...order.read(), ...edges.read() };
  return { path, format: 'csv', bytes, rows, ...found };
}

function addColumn(stats: ColumnStats, column: ColumnData): void {
  stats.nulls += column.nullCount;
  for (const extreme of findExtremes(column)) stats.add(extreme);
}

function cellAt(column: ColumnData, row: number): Cell {
  if (column.nulls?.[row] === 1) return null;
  if (column.kind === 'boolean') return column.values[row] === 1;
  if (column.kind !== 'text') return column.values[row] ?? null;
  if (column.encoding === 'plain') return textAt(column.text, row);
  return textAt(column.dictionary, column.indices[row] ?? 0);
}

import type { Batch, ColumnData } from '../format/batch.js';
import { DayFileReader } from '../format/csv/day-file-reader.js';
import { ColumnStats } from '../format/inspection/column-stats.js';
import { EdgeRows } from '../format/inspection/edge-rows.js';
import { type Cell, TIME_COLUMN } from '../format/inspection/file-content.js';
import { TimeOrder } from '../format/inspection/time-order.js';
import type { ReadChunks } from '../integrity/read-chunks.js';
import { readSource } from '../integrity/read-source.js';
import { decodeTextAt, findExtremes } from './column-extremes.js';
import type { Inspection } from './inspection.js';

const BATCH_CELLS = 1024 * 1024;

const TYPE_NAMES = {
  time: 'timestamp',
  text: 'string',
  boolean: 'boolean',
  number: 'double',
  integer: 'int64',
} as const;

/**
 * Reads a `.csv.gz` file to its end.
 * @param read reads the file's bytes.
 * @throws TickhaulError `corrupt`, `disk`, `usage`, and errors of `read`.
 */
export async function inspectCsv(
  path: string,
  dataType: string | undefined,
  read: ReadChunks,
  signal: AbortSignal,
): Promise<Inspection> {
  const batchRows = (columns: number): number => Math.max(1024, Math.floor(BATCH_CELLS / columns));
  const reader = new DayFileReader({ path, dataType, batchRows, numberText: 'none' });
  const stats: ColumnStats[] = [];
  const order = new TimeOrder();
  const edges = new EdgeRows<readonly Cell[]>();

  const addBatches = (batches: Iterable<Batch>): void => {
    for (const batch of batches) {
      const timeIndex = reader.schema.findIndex(({ name }) => name === TIME_COLUMN);
      batch.columns.forEach((column, i) => {
        stats[i] ??= new ColumnStats();
        addColumn(stats[i], column);
        if (i === timeIndex && column.kind === 'time') for (const time of column.values) order.add(time);
      });
      edges.add(batch.rows, (row) => batch.columns.map((column) => readCell(column, row)));
    }
  };

  const { bytes } = await readSource(
    path,
    (text) => addBatches(reader.push(text)),
    () => {},
    signal,
    read,
  );
  addBatches(reader.end());
  const columns = reader.schema.map(({ name, kind }, i) => {
    const { nulls = 0, min, max } = stats[i] ?? {};
    return { name, type: TYPE_NAMES[kind], nulls, min, max };
  });
  const { rows } = reader;
  const summary = { dataType: reader.dataType, columns, ...order.read(), ...edges.read() };
  return { path, format: 'csv', bytes, rows, ...summary };
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

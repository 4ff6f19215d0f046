import type { Batch, ColumnData, TextValues } from '../columns.js';
import { DayFileReader } from '../day-file-reader.js';
import { readSource } from '../source.js';
import { ColumnStats } from './column-stats.js';
import { EdgeRows } from './edge-rows.js';
import { type Cell, type Inspection, ORDERED_BY } from './inspection.js';
import { TimeOrder } from './time-order.js';

const BATCH_CELLS = 1024 * 1024;

const TYPES = { time: 'timestamp', text: 'string', boolean: 'boolean', number: 'double' } as const;

/**
 * Reads a `.csv.gz` to its end.
 * @throws TickhaulError `corrupt`, `disk`, `usage`.
 */
export async function inspectCsv(
  path: string,
  dataType: string | undefined,
  signal: AbortSignal,
): Promise<Inspection> {
  const batchRows = (columns: number): number => Math.max(1024, Math.floor(BATCH_CELLS / columns));
  const reader = new DayFileReader({ path, dataType, batchRows, numberText: false });
  const stats: ColumnStats[] = [];
  const order = new TimeOrder();
  const edges = new EdgeRows();

  const take = (batches: readonly Batch[]): void => {
    for (const batch of batches) {
      const ordered = reader.schema.findIndex(({ name }) => name === ORDERED_BY);
      batch.columns.forEach((column, i) => {
        stats[i] ??= new ColumnStats();
        addColumn(stats[i], column, batch.rows);
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
  );
  take(reader.end());
  const columns = reader.schema.map(({ name, kind }, i) => {
    const { nulls = 0, min, max } = stats[i] ?? {};
    return { name, type: TYPES[kind], nulls, min, max };
  });
  const { rows } = reader;
  const read = { dataType: reader.dataType, columns, ...order.read(), ...edges.read() };
  return { path, format: 'csv', bytes, rows, ...read };
}

function addColumn(stats: ColumnStats, column: ColumnData, rows: number): void {
  if (column.kind === 'text' && column.encoding === 'dictionary') {
    // Each entry occurs in some row.
    for (let i = 0; i < column.dictionary.offsets.length - 1; i++) stats.add(textAt(column.dictionary, i));
    stats.nulls += column.nullCount;
    return;
  }
  for (let row = 0; row < rows; row++) stats.add(cellAt(column, row));
}

function cellAt(column: ColumnData, row: number): Cell {
  if (column.nulls?.[row] === 1) return null;
  if (column.kind === 'boolean') return column.values[row] === 1;
  if (column.kind !== 'text') return column.values[row] ?? null;
  if (column.encoding === 'plain') return textAt(column.text, row);
  return textAt(column.dictionary, column.indices[row] ?? 0);
}

function textAt({ bytes, offsets }: TextValues, index: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset).toString('utf8', offsets[index], offsets[index + 1]);
}

import { stat } from 'node:fs/promises';
import type { AsyncBuffer } from 'hyparquet';
import { abortReason, isSystemError, TickhaulError } from '../../errors.js';
import { type Bound, readParquetFooter } from '../parquet/index.js';
import { EDGE_ROWS } from './edge-rows.js';
import { type Cell, type Inspection, ORDERED_BY } from './inspection.js';
import { TimeOrder } from './time-order.js';

/**
 * Rows, columns, nulls and extremes come from the footer; only the edge rows and the order of rows need data.
 * @throws TickhaulError `corrupt`, `disk`.
 */
export async function inspectParquet(path: string, signal: AbortSignal): Promise<Inspection> {
  const footer = await readParquetFooter(path);
  const { size } = await stat(path);
  const columns = footer.columns.map(({ name, type, nulls, min, max }) => ({
    name,
    type,
    nulls,
    min: min === undefined ? undefined : cellOf(min),
    max: max === undefined ? undefined : cellOf(max),
  }));
  const names = columns.map(({ name }) => name);
  const groups = footer.rowGroups.map(({ rows }) => rows);
  try {
    return {
      path,
      format: 'parquet',
      bytes: size,
      rows: footer.rows,
      rowGroups: groups.length,
      metadata: footer.keyValues,
      columns,
      ...(names.includes(ORDERED_BY) ? await readOrder(path, groups, signal) : {}),
      ...(await readEdges(path, footer.rows, names)),
    };
  } catch (error) {
    if (error instanceof TickhaulError || isSystemError(error) || !(error instanceof Error)) throw error;
    throw new TickhaulError('corrupt', `${path}: its data can't be read: ${error.message}`, { cause: error });
  }
}

const PARSERS = { timestampFromMicroseconds: Number };

async function readOrder(path: string, groups: readonly number[], signal: AbortSignal) {
  const { file, compressors, hyparquet } = await open(path);
  const metadata = await hyparquet.parquetMetadataAsync(file);
  const order = new TimeOrder();
  let rowStart = 0;
  for (const rows of groups) {
    if (signal.aborted) throw abortReason(signal);
    const rowEnd = rowStart + rows;
    await hyparquet.parquetRead({
      file,
      metadata,
      compressors,
      columns: [ORDERED_BY],
      rowStart,
      rowEnd,
      parsers: PARSERS,
      onChunk: ({ columnData }) => {
        for (const time of columnData as Iterable<unknown>) if (time !== null) order.add(Number(time));
      },
    });
    rowStart = rowEnd;
  }
  return order.read();
}

async function readEdges(path: string, rows: number, names: readonly string[]) {
  const { file, compressors, hyparquet } = await open(path);
  const read = async (rowStart: number, rowEnd: number): Promise<readonly (readonly Cell[])[]> => {
    if (rowStart >= rowEnd) return [];
    const found = await hyparquet.parquetReadObjects({
      file,
      compressors,
      rowStart,
      rowEnd,
      parsers: PARSERS,
    });
    return found.map((row) => names.map((name) => cellOf(row[name])));
  };
  const firstEnd = Math.min(EDGE_ROWS, rows);
  return { first: await read(0, firstEnd), last: await read(Math.max(firstEnd, rows - EDGE_ROWS), rows) };
}

async function open(path: string) {
  const hyparquet = await import('hyparquet');
  const { compressors } = await import('hyparquet-compressors');
  const file: AsyncBuffer = await hyparquet.asyncBufferFromFile(path);
  return { file, compressors, hyparquet };
}

function cellOf(value: Bound | unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') return value;
  return value instanceof Date ? value.toISOString() : JSON.stringify(value);
}

import type { AsyncBuffer, FileMetaData } from 'hyparquet';
import { abortReason, isSystemError, TickhaulError } from '../../base/errors.js';
import type { RandomBytes } from '../file-access.js';
import { EDGE_ROWS } from '../inspection/edge-rows.js';
import { type Cell, type FileContent, TIME_COLUMN } from '../inspection/file-content.js';
import { TimeOrder } from '../inspection/time-order.js';
import type { Bound } from './column-type.js';
import { type ParquetFooter, parseFooter, readFooterBytes } from './parquet-footer.js';

/**
 * Summarizes a Parquet file. Rows, columns, nulls and extremes come from the footer; only the edge rows and
 * the order of rows need data. If data from another writer cannot be read, `unread` states why.
 * @throws TickhaulError `corrupt`, and errors of `file.read`.
 */
export async function inspectParquet(
  path: string,
  file: RandomBytes,
  signal: AbortSignal,
): Promise<FileContent> {
  const footerBytes = await readFooterBytes(file, path);
  const footer = parseFooter(footerBytes, path);
  return {
    bytes: file.bytes,
    rows: footer.rows,
    rowGroups: footer.rowGroups.length,
    metadata: footer.keyValues,
    columns: footer.columns.map(({ name, type, nulls, min, max }) => ({
      name,
      type,
      nulls,
      min: toBoundCell(min),
      max: toBoundCell(max),
    })),
    ...(await readData(path, { file, footerBytes, footer }, signal)),
  };
}

/** Zero minimums are -0 in a footer, whatever their sign (Parquet format, ColumnOrder). */
function toBoundCell(bound: Bound | undefined): Cell | undefined {
  if (bound === undefined) return undefined;
  const cell = toCell(bound);
  return cell === 0 ? 0 : cell;
}

type RowSummary = Pick<FileContent, 'first' | 'last' | 'timeRange' | 'largestGap' | 'outOfOrder' | 'unread'>;

const TICKHAUL_CREATOR = /^tickhaul version /;

interface ParquetSource {
  readonly file: RandomBytes;
  readonly footerBytes: Uint8Array;
  readonly footer: ParquetFooter;
}

async function readData(path: string, source: ParquetSource, signal: AbortSignal): Promise<RowSummary> {
  const { footer } = source;
  const noRows = { first: [], last: [] };
  if (footer.isNested) {
    return { ...noRows, unread: 'its columns are nested' };
  }
  try {
    const file = await openFile(source);
    return { ...(await readOrder(file, footer, signal)), ...(await readEdges(file, footer)) };
  } catch (error) {
    if (error instanceof TickhaulError || isSystemError(error) || !(error instanceof Error)) throw error;
    if (!TICKHAUL_CREATOR.test(footer.createdBy ?? '')) return { ...noRows, unread: error.message };
    const message = `${path}: its data cannot be read, ${error.message}; convert its source again`;
    throw new TickhaulError('corrupt', message, { cause: error });
  }
}

/** Converts times to integer microseconds. */
const TIME_PARSERS = {
  timestampFromMilliseconds: (millis: bigint) => Number(millis) * 1000,
  timestampFromMicroseconds: Number,
  timestampFromNanoseconds: (nanos: bigint) => Number(nanos / 1000n),
  dateFromDays: (days: number) => new Date(days * 86_400_000).toISOString().replace(/T.*/, ''),
};

async function readOrder(
  { file, metadata, compressors, hyparquet }: OpenFile,
  { columns, rowGroups }: ParquetFooter,
  signal: AbortSignal,
): Promise<Partial<RowSummary>> {
  const type = columns.find(({ name }) => name === TIME_COLUMN)?.type;
  // With `--times int` the column is a plain integer.
  if (type !== 'timestamp' && type !== 'int64') return {};
  const order = new TimeOrder();
  let rowStart = 0;
  for (const { rows } of rowGroups) {
    if (signal.aborted) throw abortReason(signal);
    const rowEnd = rowStart + rows;
    await hyparquet.parquetRead({
      file,
      metadata,
      compressors,
      columns: [TIME_COLUMN],
      rowStart,
      rowEnd,
      parsers: TIME_PARSERS,
      onChunk: ({ columnData }) => {
        for (const time of columnData as Iterable<unknown>) if (time != null) order.add(Number(time));
      },
    });
    rowStart = rowEnd;
  }
  return order.read();
}

async function readEdges(
  { file, metadata, compressors, hyparquet }: OpenFile,
  { rows, columns }: ParquetFooter,
): Promise<Pick<RowSummary, 'first' | 'last'>> {
  const read = async (rowStart: number, rowEnd: number): Promise<readonly (readonly Cell[])[]> => {
    if (rowStart >= rowEnd) return [];
    const range = { file, metadata, compressors, rowStart, rowEnd, parsers: TIME_PARSERS };
    const objects = await hyparquet.parquetReadObjects(range);
    return objects.map((row) => columns.map(({ name }) => toCell(row[name])));
  };
  const firstEnd = Math.min(EDGE_ROWS, rows);
  return { first: await read(0, firstEnd), last: await read(Math.max(firstEnd, rows - EDGE_ROWS), rows) };
}

interface OpenFile {
  readonly file: AsyncBuffer;
  readonly metadata: FileMetaData;
  readonly compressors: typeof import('hyparquet-compressors')['compressors'];
  readonly hyparquet: typeof import('hyparquet');
}

async function openFile({ file, footerBytes }: ParquetSource): Promise<OpenFile> {
  const hyparquet = await import('hyparquet');
  const { compressors } = await import('hyparquet-compressors');
  return {
    file: {
      byteLength: file.bytes,
      slice: async (start, end = file.bytes) => Uint8Array.from(await file.read(start, end - start)).buffer,
    },
    metadata: hyparquet.parquetMetadata(footerBytes),
    compressors,
    hyparquet,
  };
}

function toCell(value: Bound | unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') return value;
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString('hex')}`;
  return value instanceof Date ? value.toISOString() : JSON.stringify(value);
}

import { access } from 'node:fs/promises';
import { type ReadChunks, whyNotFound } from '../base/disk-files.js';
import { TickhaulError, usageError } from '../base/errors.js';
import { findOutputFormat, OUTPUT_EXTENSIONS, type OutputFormatName } from '../base/output-format-names.js';
import { joinWithOr } from '../base/units.js';
import { parseDayFileName } from '../day-files/day-file.js';
import type { Batch, ColumnData, Nulls, TextValues } from '../format/batch.js';
import { RowReader } from '../format/csv/row-reader.js';
import {
  type Cell,
  ColumnStats,
  EdgeRows,
  type FileContent,
  TIME_COLUMN,
  TimeOrder,
} from '../format/file-content.js';
import { OUTPUT_FORMATS } from '../format/output-formats.js';
import { readSource } from '../gzip/read-source.js';
import type { Files, StoreSettings } from '../store/files.js';
import { isObjectLocation } from '../store/location.js';
import { openFiles } from '../store/open-files.js';

export type { Cell, InspectedColumn, TimeGap } from '../format/file-content.js';

export interface InspectInput {
  /** Location of the file. */
  readonly path: string;
  /** Data type of a CSV file; undefined to find it by name or header. */
  readonly dataType?: string | undefined;
  readonly store?: StoreSettings | undefined;
  readonly signal: AbortSignal;
}

/**
 * Summarizes the content of a day file or of a conversion's output.
 * @throws TickhaulError `usage` for a missing file or an unknown kind, `corrupt`, `disk`, errors of the
 * store.
 */
export async function inspectFile({ store, ...input }: InspectInput): Promise<Inspection> {
  const files = openFiles(store);
  try {
    return await inspectWith(files, input);
  } finally {
    await files.close();
  }
}

async function inspectWith(
  files: Files,
  { path, dataType, signal }: Omit<InspectInput, 'store'>,
): Promise<Inspection> {
  await assertFileExists(files, path, signal);
  const format = path.endsWith(FEATHER_EXTENSION) ? 'arrow' : findOutputFormat(path);
  if (format) return { path, format, ...(await OUTPUT_FORMATS[format].inspect(path, files, signal)) };
  if (path.endsWith('.gz')) {
    return inspectCsv(path, dataType ?? parseDayFileName(path)?.dataType, files.read, signal);
  }
  throw usageError(`${path}: unknown kind of file; inspect ${joinWithOr(INSPECTED_EXTENSIONS)}`);
}

async function assertFileExists(files: Files, path: string, signal: AbortSignal): Promise<void> {
  if (await files.stat(path, signal)) return;
  if (isObjectLocation(path)) await assertBucketExists(files, path, signal);
  // The path may be a folder or a pipe; an object is always a file.
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  throw usageError(
    exists
      ? `${path}: not a file; specify one file to inspect`
      : `${path}: ${whyNotFound(path, 'no such file')}`,
  );
}

/**
 * Reads the object, since a stat does not show whether the bucket exists.
 * @throws TickhaulError if it does not.
 */
async function assertBucketExists(files: Files, path: string, signal: AbortSignal): Promise<void> {
  try {
    await files.read(path, async () => {}, signal);
  } catch (error) {
    if (!(error instanceof TickhaulError) || error.code !== 'missing') throw error;
  }
}

/** Extension of Arrow files of other writers, and of those for freqtrade. */
const FEATHER_EXTENSION = '.feather';

/** Extensions of the files that can be inspected, with the leading dot. */
export const INSPECTED_EXTENSIONS: readonly string[] = [
  '.csv.gz',
  ...OUTPUT_EXTENSIONS.map((extension) => `.${extension}`),
  FEATHER_EXTENSION,
];

/** Summary of a file. */
export interface Inspection extends FileContent {
  readonly path: string;
  readonly format: 'csv' | OutputFormatName;
  /** Data type of a CSV file. */
  readonly dataType?: string | undefined;
}

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

  const { bytes } = await readSource(path, {
    onText: (text) => addBatches(reader.push(text)),
    read,
    signal,
  });
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

/** Decodes the text at a position. */
export function decodeTextAt({ bytes, offsets }: TextValues, index: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset).toString('utf8', offsets[index], offsets[index + 1]);
}

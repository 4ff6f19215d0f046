import type { Schema } from '../batch.js';
import type { OutputOptions } from '../output-options.js';

/** How large the batches of a format are. A batch ends with the row with which it has all its rows or all its text. */
export interface BatchLimits {
  /** Rows per batch. */
  rows(options: OutputOptions, columns: number): number;
  /** Text per batch, in bytes; usual batches have less. It limits their memory. */
  textBytes(options: OutputOptions, schema: Schema): number;
  /** Bytes of memory for a cell of a batch, with those of its encoded form if they count. */
  cellBytes(options: OutputOptions): number;
}

const DEFAULT_ROW_GROUP = 128 * 1024;
/** About 24 MB of numbers: limits the batches of a wide schema, as several are in memory at once. */
const MAX_GROUP_CELLS = 3 * 1024 * 1024;

/** Batches of formats that are encoded from columns; a row group is one batch. */
export const COLUMN_BATCHES: BatchLimits = {
  rows: getRowGroupRows,
  textBytes: (options, schema) =>
    options.maxTextBytes ?? maxBatchTextBytes(getRowGroupRows(options, schema.length)),
  cellBytes: ({ numbers }) => (numbers === 'string' ? 20 : 8),
};

function getRowGroupRows({ rowGroup }: OutputOptions, columns: number): number {
  return rowGroup ?? Math.max(1024, Math.min(DEFAULT_ROW_GROUP, Math.floor(MAX_GROUP_CELLS / columns)));
}

/** More than the text of any usual batch of columns, in bytes. */
export function maxBatchTextBytes(rows: number): number {
  return Math.min(Math.max(64 * 1024 * 1024, 512 * rows), 1024 * 1024 * 1024);
}

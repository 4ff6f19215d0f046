import type { Schema } from '../batch.js';
import type { OutputOptions } from '../output-options.js';

/**
 * Whether a batch never ends early.
 * @param textBytes bytes of its text, or more.
 * @param textCellBytes bytes of its cells in text columns, or more.
 */
export type BatchTextCheck = (textBytes: number, textCellBytes: number) => boolean;

/** How large the batches of a format are. */
export interface BatchLimits {
  /** Rows per batch. */
  rows(options: OutputOptions, columns: number): number;
  /** Bytes of memory for a cell of a batch, with those of its encoded form if they count. */
  cellBytes(options: OutputOptions): number;
  createTextCheck(schema: Schema, options: OutputOptions): BatchTextCheck;
}

const DEFAULT_ROW_GROUP = 128 * 1024;
/** About 24 MB of numbers: limits the batches of a wide schema, as several are in memory at once. */
const MAX_GROUP_CELLS = 3 * 1024 * 1024;
/** Text of a batch of columns, in bytes, beyond which it ends early. */
export const MAX_BATCH_TEXT_BYTES = 64 * 1024 * 1024;

/** Batches of formats that are encoded from columns; a row group is one batch. */
export const COLUMN_BATCHES: BatchLimits = {
  rows: ({ rowGroup }, columns) =>
    rowGroup ?? Math.max(1024, Math.min(DEFAULT_ROW_GROUP, Math.floor(MAX_GROUP_CELLS / columns))),
  cellBytes: ({ numbers }) => (numbers === 'string' ? 20 : 8),
  // Text counts twice if it goes from a dictionary to plain text. Numbers only count if their text is kept.
  createTextCheck:
    (_, { numbers, maxTextBytes = MAX_BATCH_TEXT_BYTES }) =>
    (textBytes, textCellBytes) =>
      textCellBytes + (numbers === 'string' ? textBytes : textCellBytes) <= maxTextBytes,
};

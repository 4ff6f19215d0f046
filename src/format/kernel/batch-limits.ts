import type { Schema } from '../batch.js';
import type { OutputOptions } from '../output-options.js';

/** How large the batches of a format are. */
export interface BatchLimits {
  /** Rows per batch. */
  rows(options: OutputOptions, columns: number): number;
  /** Bytes of memory for a cell of a batch, with those of its encoded form if they count. */
  cellBytes(options: OutputOptions): number;
  /** A batch with no more text than this, in bytes, never ends early. May be negative. */
  safeTextBytes(schema: Schema, options: OutputOptions): number;
}

const DEFAULT_ROW_GROUP = 128 * 1024;
/** About 24 MB of numbers: limits the batches of a wide schema, as several are in memory at once. */
const MAX_GROUP_CELLS = 3 * 1024 * 1024;
/** Text that always fits a batch of columns: half of its limit of 32 MiB, since some text counts twice. */
const SAFE_TEXT_BYTES = 16 * 1024 * 1024;

/** Batches of formats that are encoded from columns; a row group is one batch. */
export const COLUMN_BATCHES: BatchLimits = {
  rows: ({ rowGroup }, columns) =>
    rowGroup ?? Math.max(1024, Math.min(DEFAULT_ROW_GROUP, Math.floor(MAX_GROUP_CELLS / columns))),
  cellBytes: ({ numbers }) => (numbers === 'string' ? 20 : 8),
  safeTextBytes: () => SAFE_TEXT_BYTES,
};

import type { Schema } from '../batch.js';
import type { BatchLimits } from '../kernel/batch-limits.js';
import { MAX_ESCAPE_BYTES } from './json-escape.js';

/** A batch ends early before its lines exceed this size. */
export const MAX_LINES_BYTES = 32 * 1024 * 1024;

/** Small batches reuse memory that the process already has. */
const MAX_BATCH_CELLS = 64 * 1024;
/** Maximum size of a cell without its key and text: an ISO time has 13 bytes more than its digits. */
const CELL_OVERHEAD_BYTES = 16;

/** Text before each cell of a line: `{"name":` for the first column, `,"name":` for the others. */
export function columnKeys(schema: Schema): readonly Buffer[] {
  return schema.map(({ name }, i) => Buffer.from(`${i === 0 ? '{' : ','}${JSON.stringify(name)}:`));
}

/** Maximum size of a line, in bytes, without the text of its row. */
export function maxLineOverheadBytes(schema: Schema): number {
  return columnKeys(schema).reduce((sum, key) => sum + key.length + CELL_OVERHEAD_BYTES, 0);
}

/** Rows per batch. */
export function chooseLineCount(columns: number): number {
  return Math.max(1024, Math.floor(MAX_BATCH_CELLS / columns));
}

export const LINE_BATCHES: BatchLimits = {
  rows: (_, columns) => chooseLineCount(columns),
  cellBytes: () => 60,
  createTextCheck: (schema) => {
    const overheadBytes = chooseLineCount(schema.length) * maxLineOverheadBytes(schema);
    return (textBytes) => overheadBytes + textBytes * MAX_ESCAPE_BYTES <= MAX_LINES_BYTES;
  },
};

import type { Schema } from '../batch.js';
import type { BatchLimits } from '../output-format.js';

/** Text of a batch; usual ones have about 1 MB. Escapes may make its lines six times as long. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;
/** Lines of a batch, if their text is nearly all keys. */
const MAX_KEY_BYTES = 256 * 1024 * 1024;

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

export const LINE_BATCHES: BatchLimits = {
  rows: (_, columns) => Math.max(1024, Math.floor(MAX_BATCH_CELLS / columns)),
  cellBytes: () => 60,
  // A row has at least a byte for each column, its separator.
  textBytes: ({ maxTextBytes = MAX_TEXT_BYTES }, schema) =>
    Math.min(maxTextBytes, Math.floor((MAX_KEY_BYTES * schema.length) / maxLineOverheadBytes(schema))),
};

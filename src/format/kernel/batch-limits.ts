import type { Schema } from '../batch.js';
import { chooseBatchRows } from '../output-options.js';
import type { KernelJob } from './kernel-job.js';

/** An NDJSON batch ends early before its lines exceed this size. */
export const MAX_LINES_BYTES = 32 * 1024 * 1024;

/** Text that always fits a row group's batch: half of its limit of 32 MiB, since some text counts twice. */
const SAFE_TEXT_BYTES = 16 * 1024 * 1024;

/** Maximum size of a byte of text in JSON: `\u0000`. */
const MAX_ESCAPE_BYTES = 6;
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

/** A batch with no more text than this, in bytes, never ends early. May be negative. */
export function safeBatchTextBytes({ schema, options }: Pick<KernelJob, 'schema' | 'options'>): number {
  if (options.format === 'parquet') return SAFE_TEXT_BYTES;
  return (
    (MAX_LINES_BYTES - chooseBatchRows(options, schema.length) * maxLineOverheadBytes(schema)) /
    MAX_ESCAPE_BYTES
  );
}

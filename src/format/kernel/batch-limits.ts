import type { Schema } from '../batch.js';
import { chooseBatchRows } from '../convert-options.js';
import type { KernelJob } from './kernel-job.js';

/** Lines that a batch of NDJSON takes before it ends early, in bytes. */
export const MAX_LINES_BYTES = 32 * 1024 * 1024;

/** Text that a batch of a row group takes at least before it ends early: 32 MiB, but some is counted twice. */
const SAFE_TEXT_BYTES = 16 * 1024 * 1024;

/** What a byte of text takes at most in JSON: `\u0000`. */
const MAX_ESCAPE_BYTES = 6;
/** What a cell takes at most besides its key and its text: an ISO time has 13 bytes more than its digits. */
const CELL_OVERHEAD_BYTES = 16;

/** What stands before a cell in its line: `{"name":` for the first column, `,"name":` for the others. */
export function columnKeys(schema: Schema): readonly Buffer[] {
  return schema.map(({ name }, i) => Buffer.from(`${i === 0 ? '{' : ','}${JSON.stringify(name)}:`));
}

/** What a line takes at most besides its row's text, in bytes. */
export function maxLineOverheadBytes(schema: Schema): number {
  return columnKeys(schema).reduce((sum, key) => sum + key.length + CELL_OVERHEAD_BYTES, 0);
}

/** A batch of no more text than this, in bytes, never has to end early. It may be less than nothing. */
export function safeBatchTextBytes({ schema, options }: Pick<KernelJob, 'schema' | 'options'>): number {
  if (options.format === 'parquet') return SAFE_TEXT_BYTES;
  return (
    (MAX_LINES_BYTES - chooseBatchRows(options, schema.length) * maxLineOverheadBytes(schema)) /
    MAX_ESCAPE_BYTES
  );
}

import { type ColumnKind, dataTypeColumns } from '../../../src/day-files/data-types.js';
import type { Schema } from '../../../src/format/batch.js';
import { createBatchKernel, createOutputOptions } from '../../../src/format/output-formats.js';

export interface LineChoice {
  readonly schema?: Schema;
  readonly times?: 'int' | 'iso';
  readonly numbers?: 'double' | 'string';
  readonly compression?: 'none' | 'gzip' | 'zstd';
  /** Rows per piece; by default all. */
  readonly rows?: number;
}

/** Formats rows as NDJSON with the kernel, as one batch. */
export async function linesOf(text: string | Buffer, choice: LineChoice = {}): Promise<string> {
  const { schema = dataTypeColumns('trades') ?? [], rows = Number.POSITIVE_INFINITY, ...options } = choice;
  const job = { source: 'day.csv.gz', schema, options: createOutputOptions('ndjson', options) };
  const kernel = await createBatchKernel(job);
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; ) {
    const to = endOfRows(bytes, from, rows);
    kernel.getPieceBuffer().set(bytes.subarray(from, to));
    kernel.parse(to - from);
    from = to;
  }
  return Buffer.from(kernel.finish()?.bytes ?? []).toString();
}

function endOfRows(bytes: Buffer, from: number, rows: number): number {
  let to = from;
  for (let row = 0; row < rows && to < bytes.length; row++) {
    const lf = bytes.indexOf(10, to);
    to = lf < 0 ? bytes.length : lf + 1;
  }
  return to;
}

/** A column of a kind between two text columns. */
export function between(kind: ColumnKind): Schema {
  return [
    { name: 'a', kind: 'text' },
    { name: 'x', kind },
    { name: 'b', kind: 'text' },
  ];
}

import type { Batch, ColumnData, NumberText, Schema, TextValues } from '../../../src/format/batch.js';
import { RowReader } from '../../../src/format/csv/row-reader.js';
import { copyBatch } from '../../helpers/copy-batch.js';

/** A cell as a value: text as strings, times and numbers as numbers, null if empty. */
export type Value = string | number | boolean | null;

export interface Parsed {
  readonly schema: Schema;
  readonly rows: readonly (readonly Value[])[];
  readonly warning: string | undefined;
  readonly batches: readonly Batch[];
}

export interface ParseOptions {
  readonly dataType?: string;
  readonly batchRows?: number;
  readonly numberText?: NumberText;
  /** Sizes of the chunks, repeated; by default one chunk. */
  readonly chunks?: readonly number[];
}

export function parseCsv(csv: string | Buffer, options: ParseOptions = {}): Parsed {
  const bytes = Buffer.from(csv);
  const { dataType = 'trades', batchRows = 1000, chunks = [bytes.length], numberText } = options;
  const parser = new RowReader({ path: 'day.csv.gz', dataType, batchRows, numberText });
  const batches: Batch[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = Math.max(1, chunks[i % chunks.length] ?? 1);
    // The buffer is overwritten after the push, as streams do.
    const chunk = Buffer.from(bytes.subarray(at, at + size));
    for (const batch of parser.push(chunk)) batches.push(copyBatch(batch));
    chunk.fill(0x2c);
    at += size;
  }
  for (const batch of parser.end()) batches.push(copyBatch(batch));
  const rows = batches.flatMap(rowsOf);
  return { schema: parser.schema ?? [], rows, warning: parser.warning, batches };
}

export function rowsOf({ rows, columns }: Batch): Value[][] {
  return Array.from({ length: rows }, (_, row) => columns.map((column) => valueAt(column, row)));
}

function valueAt(column: ColumnData, row: number): Value {
  if (column.nulls?.[row] === 1) return null;
  switch (column.kind) {
    case 'text':
      if (column.encoding === 'plain') return decodeTextAt(column.text, row);
      return decodeTextAt(column.dictionary, column.indices[row] ?? -1);
    case 'boolean':
      return column.values[row] === 1;
    default:
      return column.values[row] ?? Number.NaN;
  }
}

export function decodeTextAt({ bytes, offsets }: TextValues, index: number): string {
  return Buffer.from(bytes.subarray(offsets[index], offsets[index + 1])).toString('utf8');
}

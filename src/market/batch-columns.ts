import type { Batch, ColumnData, TextColumn } from '../format/batch.js';
import { toDictionary } from './lines/line-parts.js';

/** A batch's column by its name. The parser ensures that all columns of the data type exist. */
export function getColumn({ schema, columns }: Batch, columnName: string): ColumnData {
  const column = columns[schema.findIndex(({ name }) => name === columnName)];
  if (!column) throw new Error(`the batch has no column ${columnName}`);
  return column;
}

/** The values of a `number` or `time` column. */
export function getNumbers(batch: Batch, name: string): Float64Array {
  const column = getColumn(batch, name);
  if (column.kind === 'number' || column.kind === 'time') return column.values;
  throw new Error(`the column ${name} has no numbers`);
}

/** The values of a `boolean` column, 0 or 1. */
export function getBooleans(batch: Batch, name: string): Uint8Array {
  const column = getColumn(batch, name);
  if (column.kind === 'boolean') return column.values;
  throw new Error(`the column ${name} is not boolean`);
}

/** The bytes of a cell in a text column; empty if the cell is. */
export function getTextBytes(batch: Batch, name: string, row: number): Uint8Array {
  const column = getColumn(batch, name) as TextColumn;
  if (column.nulls?.[row] === 1) return new Uint8Array();
  const [at, { bytes, offsets }] =
    column.encoding === 'dictionary' ? [column.indices[row] ?? 0, column.dictionary] : [row, column.text];
  return bytes.subarray(offsets[at], offsets[at + 1]);
}

/** Maps a text column with few distinct values to codes, one per row; 0 for other texts and empty cells. */
export function getTextCodes(
  batch: Batch,
  name: string,
  codes: Readonly<Record<string, number>>,
): Uint8Array {
  const column = getColumn(batch, name) as TextColumn;
  const { indices, texts } = toDictionary(column);
  const byIndex = Uint8Array.from(texts, (text) => codes[text] ?? 0);
  const out = new Uint8Array(batch.rows);
  for (let row = 0; row < batch.rows; row++) out[row] = byIndex[indices[row] as number] ?? 0;
  if (column.nulls) for (let row = 0; row < batch.rows; row++) if (column.nulls[row] === 1) out[row] = 0;
  return out;
}

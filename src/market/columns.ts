import type { Batch, ColumnData, Schema, TextColumn } from '../format/columns.js';
import { asDictionary } from './lines/text.js';

/** A batch's column by its name. A header that lacks one of its data type is refused before there is a batch. */
export function columnOf(schema: Schema, { columns }: Batch, wanted: string): ColumnData {
  const column = columns[schema.findIndex(({ name }) => name === wanted)];
  if (!column) throw new Error(`the batch has no column ${wanted}`);
  return column;
}

/** The numbers of a `number` or `time` column. */
export function valuesOf(schema: Schema, batch: Batch, name: string): Float64Array {
  const column = columnOf(schema, batch, name);
  if (column.kind === 'number' || column.kind === 'time') return column.values;
  throw new Error(`the column ${name} has no numbers`);
}

/** The 0 and 1 of a `boolean` column. */
export function booleansOf(schema: Schema, batch: Batch, name: string): Uint8Array {
  const column = columnOf(schema, batch, name);
  if (column.kind === 'boolean') return column.values;
  throw new Error(`the column ${name} has no booleans`);
}

/** The bytes of a row's cell in a text column; none where it is empty. */
export function textAt(schema: Schema, batch: Batch, name: string, row: number): Uint8Array {
  const column = columnOf(schema, batch, name) as TextColumn;
  if (column.nulls?.[row] === 1) return new Uint8Array();
  const [at, { bytes, offsets }] =
    column.encoding === 'dictionary' ? [column.indices[row] ?? 0, column.dictionary] : [row, column.text];
  return bytes.subarray(offsets[at], offsets[at + 1]);
}

/** A text column of few words as codes, one a row; 0 for other words and empty cells. */
export function codesOf(
  schema: Schema,
  batch: Batch,
  name: string,
  codes: Readonly<Record<string, number>>,
): Uint8Array {
  const column = columnOf(schema, batch, name) as TextColumn;
  const { indices, texts } = asDictionary(column);
  const byIndex = Uint8Array.from(texts, (text) => codes[text] ?? 0);
  const out = new Uint8Array(batch.rows);
  for (let row = 0; row < batch.rows; row++) out[row] = byIndex[indices[row] as number] ?? 0;
  if (column.nulls) for (let row = 0; row < batch.rows; row++) if (column.nulls[row] === 1) out[row] = 0;
  return out;
}

import type { ColumnData, Nulls, TextColumn, TextValues } from '../../../../src/format/batch.js';

/** A column's values without its nulls, as Parquet stores them. */
export type DenseColumn =
  | NumericColumn
  | { readonly kind: 'boolean'; readonly values: Int32Array }
  | { readonly kind: 'text'; readonly text: TextValues }
  | { readonly kind: 'dictionary'; readonly indices: Int32Array; readonly dictionary: TextValues };

export interface NumericColumn {
  readonly kind: 'time' | 'number';
  readonly values: Float64Array;
}

/** Removes the nulls of a column. With `numbers` `string`, a number column returns its text. */
export function denseColumn(column: ColumnData, numbers: 'double' | 'string'): DenseColumn {
  switch (column.kind) {
    case 'time':
    case 'integer':
      return { kind: 'time', values: dense(column.values, column) };
    case 'number':
      if (numbers === 'double') return { kind: 'number', values: dense(column.values, column) };
      if (!column.text) throw new Error('numbers were to be kept as text, and were parsed without it');
      return { kind: 'text', text: denseText(column.text, column) };
    case 'boolean':
      return { kind: 'boolean', values: new Int32Array(dense(column.values, column)) };
    case 'text':
      return denseTextColumn(column);
  }
}

function denseTextColumn(column: TextColumn): DenseColumn {
  if (column.encoding === 'plain') return { kind: 'text', text: denseText(column.text, column) };
  return {
    kind: 'dictionary',
    indices: dense(column.indices, column),
    dictionary: column.dictionary,
  };
}

function dense<T extends Float64Array | Int32Array | Uint8Array>(values: T, { nulls, nullCount }: Nulls): T {
  if (!nulls) return values;
  const result = values.slice(0, values.length - nullCount) as T;
  let at = 0;
  for (let i = 0; i < values.length; i++) if (nulls[i] === 0) result[at++] = values[i] as number;
  return result;
}

/** A null has no bytes, so only its offset is removed. */
function denseText({ bytes, offsets }: TextValues, { nulls, nullCount }: Nulls): TextValues {
  if (!nulls) return { bytes, offsets };
  const result = new Int32Array(offsets.length - nullCount);
  let at = 0;
  for (let i = 0; i < nulls.length; i++) if (nulls[i] === 0) result[at++] = offsets[i] as number;
  result[at] = offsets.at(-1) ?? 0;
  return { bytes, offsets: result };
}

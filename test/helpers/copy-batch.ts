import type { Batch, ColumnData, TextValues } from '../../src/format/batch.js';

/** Copies a batch to new arrays, each with its own buffer. */
export function copyBatch({ rows, schema, columns }: Batch): Batch {
  return { rows, schema, columns: columns.map(copyColumn) };
}

function copyColumn(column: ColumnData): ColumnData {
  const nulls = column.nulls?.slice();
  switch (column.kind) {
    case 'boolean':
      return { ...column, nulls, values: column.values.slice() };
    case 'time':
    case 'integer':
      return { ...column, nulls, values: column.values.slice() };
    case 'number':
      return {
        ...column,
        nulls,
        values: column.values.slice(),
        text: column.text && copyTexts(column.text),
      };
    case 'text':
      if (column.encoding === 'plain') return { ...column, nulls, text: copyTexts(column.text) };
      return {
        ...column,
        nulls,
        indices: column.indices.slice(),
        dictionary: copyTexts(column.dictionary),
      };
  }
}

function copyTexts({ bytes, offsets }: TextValues): TextValues {
  return { bytes: bytes.slice(0, offsets.at(-1)), offsets: offsets.slice() };
}

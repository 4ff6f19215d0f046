import type { ColumnData, Nulls, TextValues } from '../format/batch.js';
import type { Cell } from '../format/inspection/file-content.js';

/** The minimum and maximum of a column without its nulls; empty if there are only nulls. */
export function findExtremes(column: ColumnData): readonly NonNullable<Cell>[] {
  switch (column.kind) {
    case 'text': {
      // Each entry of a dictionary occurs in some row.
      if (column.encoding === 'dictionary') return findTextExtremes(column.dictionary, undefined);
      return findTextExtremes(column.text, column.nulls);
    }
    case 'boolean':
      return findNumberExtremes(column.values, column.nulls).map((value) => value === 1);
    default:
      return findNumberExtremes(column.values, column.nulls);
  }
}

function findNumberExtremes(values: Float64Array | Uint8Array, nulls: Nulls['nulls']): readonly number[] {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) {
    if (nulls?.[i] === 1) continue;
    const value = values[i] as number;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return min <= max ? [min, max] : [];
}

/** Compares texts by their UTF-8 bytes. */
function findTextExtremes(text: TextValues, nulls: Nulls['nulls']): readonly string[] {
  let min = -1;
  let max = -1;
  for (let i = 0; i < text.offsets.length - 1; i++) {
    if (nulls?.[i] === 1) continue;
    if (min < 0 || compare(text, i, min) < 0) min = i;
    if (max < 0 || compare(text, i, max) > 0) max = i;
  }
  return min < 0 ? [] : [decodeTextAt(text, min), decodeTextAt(text, max)];
}

function compare({ bytes, offsets }: TextValues, a: number, b: number): number {
  const fromA = offsets[a] as number;
  const fromB = offsets[b] as number;
  const lengthA = (offsets[a + 1] as number) - fromA;
  const lengthB = (offsets[b + 1] as number) - fromB;
  const shorter = Math.min(lengthA, lengthB);
  for (let i = 0; i < shorter; i++) {
    const difference = (bytes[fromA + i] as number) - (bytes[fromB + i] as number);
    if (difference !== 0) return difference;
  }
  return lengthA - lengthB;
}

/** Decodes the text at a position. */
export function decodeTextAt({ bytes, offsets }: TextValues, index: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset).toString('utf8', offsets[index], offsets[index + 1]);
}

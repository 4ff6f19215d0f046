import type { TextValues } from '../../../../src/format/batch.js';
import type { Statistics, ValueBounds } from '../../../../src/format/parquet/parquet-writer.js';
import type { DenseColumn } from './dense.js';
import { doubleBytes, int64Bytes } from './encodings/plain.js';

/** Longer texts have no bounds, since readers treat truncated ones differently. */
const LONGEST_BOUND = 64;

/**
 * Bounds in the order of the type (TYPE_ORDER): numbers by value, text by unsigned bytes.
 * @param column its values, or some of them including the minimum and maximum.
 */
export function statisticsOf(column: DenseColumn, nullCount: number): Statistics {
  return { nullCount, bounds: boundsOf(column) };
}

function boundsOf(column: DenseColumn): ValueBounds | undefined {
  switch (column.kind) {
    case 'text':
      return textBounds(column.text);
    case 'dictionary':
      // Each value of the dictionary occurs in some row.
      return textBounds(column.dictionary);
    case 'boolean':
      return booleanBounds(column.values);
    case 'time':
      return numberBounds(column.values, int64Bytes);
    case 'number':
      return numberBounds(column.values, doubleBytes, { zeroMin: -0, zeroMax: 0 });
  }
}

/**
 * The format requires -0.0 for a zero minimum and +0.0 for a zero maximum, since readers may distinguish
 * the two.
 */
function numberBounds(
  values: Float64Array,
  bytes: (values: Float64Array, start: number, end: number) => Uint8Array,
  { zeroMin, zeroMax } = { zeroMin: 0, zeroMax: 0 },
): ValueBounds | undefined {
  if (values.length === 0) return undefined;
  const { min, max } = rangeOf(values);
  return {
    min: bytes(Float64Array.of(min === 0 ? zeroMin : min), 0, 1),
    max: bytes(Float64Array.of(max === 0 ? zeroMax : max), 0, 1),
  };
}

/** The minimum and maximum; Infinity and -Infinity without values. */
function rangeOf(values: Float64Array): { readonly min: number; readonly max: number } {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min, max };
}

function booleanBounds(values: Int32Array): ValueBounds | undefined {
  if (values.length === 0) return undefined;
  let trues = 0;
  for (let i = 0; i < values.length; i++) trues += values[i] as number;
  return { min: Uint8Array.of(trues === values.length ? 1 : 0), max: Uint8Array.of(trues > 0 ? 1 : 0) };
}

function textBounds(text: TextValues): ValueBounds | undefined {
  const bounds = textExtremes(text);
  return bounds && Math.max(bounds.min.length, bounds.max.length) <= LONGEST_BOUND ? bounds : undefined;
}

/** The minimum and maximum of texts, by their UTF-8 bytes; undefined without texts. */
function textExtremes(text: TextValues): ValueBounds | undefined {
  const count = text.offsets.length - 1;
  if (count === 0) return undefined;
  let min = 0;
  let max = 0;
  for (let i = 1; i < count; i++) {
    if (compare(text, i, min) < 0) min = i;
    else if (compare(text, i, max) > 0) max = i;
  }
  return { min: decodeTextAt(text, min), max: decodeTextAt(text, max) };
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

function decodeTextAt({ bytes, offsets }: TextValues, i: number): Uint8Array {
  return bytes.slice(offsets[i], offsets[i + 1]);
}

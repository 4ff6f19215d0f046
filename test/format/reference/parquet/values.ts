import type { TextValues } from '../../../../src/format/batch.js';
import { ByteWriter } from '../../../../src/format/byte-writer.js';
import { Encoding, type EncodingId } from '../../../../src/format/parquet/parquet-schema.js';
import type { DictionaryValues } from '../../../../src/format/parquet/parquet-writer.js';
import type { DenseColumn } from './dense.js';
import { bitWidth } from './encodings/bit-pack.js';
import { isDeltaExact, surveyTimes, writeDelta } from './encodings/delta.js';
import { sharedPrefixes, writeDeltaLengthText, writeDeltaText } from './encodings/delta-text.js';
import { doubleDictionary, textDictionary } from './encodings/dictionary.js';
import { doubleBytes, int64Bytes, writePlainText } from './encodings/plain.js';
import { writeRle } from './encodings/rle.js';

/** Values of a column chunk, to be written page by page. */
export interface EncodedValues {
  readonly encoding: EncodingId;
  readonly dictionary: DictionaryValues | undefined;
  /** Average size of a value in bytes before it is encoded. */
  readonly valueSize: number;
  /** The values, or some of them including the minimum and maximum, for statistics. */
  readonly extremes: DenseColumn;
  /** Writes the values from `start` up to, but not including, `end`. */
  readonly write: (out: ByteWriter, start: number, end: number) => void;
}

/** With a greater share of distinct values, a dictionary does not reduce the size. */
const MAX_DISTINCT_RATIO = 0.5;

/**
 * Chooses the encoding with the smallest size, among those that DuckDB, Polars, pyarrow, Spark and hyparquet
 * all read. BYTE_STREAM_SPLIT, which would suit doubles, is not one of them.
 */
export function encodeValues(column: DenseColumn): EncodedValues {
  switch (column.kind) {
    case 'time':
      return encodeTimes(column.values);
    case 'number':
      return encodeNumbers(column.values);
    case 'boolean':
      return encodeBooleans(column);
    case 'text':
      return encodeText(column.text);
    case 'dictionary':
      return encodeTextDictionary(column.indices, column.dictionary);
  }
}

function encodeNumbers(values: Float64Array): EncodedValues {
  const dictionary = doubleDictionary(values, values.length * MAX_DISTINCT_RATIO);
  if (dictionary) {
    const bytes = doubleBytes(dictionary.values, 0, dictionary.size);
    const extremes = { kind: 'number', values: dictionary.values } as const;
    return withDictionary(dictionary.indices, { bytes, size: dictionary.size }, 8, extremes);
  }
  return {
    encoding: Encoding.plain,
    dictionary: undefined,
    valueSize: 8,
    extremes: { kind: 'number', values },
    write: (out, start, end) => out.append(doubleBytes(values, start, end)),
  };
}

/** Times usually grow in small steps; those that alternate between a few values use a dictionary. */
function encodeTimes(values: Float64Array): EncodedValues {
  const { min, max, back, steps } = surveyTimes(values);
  const extremes: DenseColumn = {
    kind: 'time',
    values: values.length > 0 ? Float64Array.of(min, max) : values,
  };
  const isJumping = back * 8 >= values.length;
  const dictionary = isJumping ? doubleDictionary(values, values.length / 16) : undefined;
  if (dictionary) {
    const bytes = int64Bytes(dictionary.values, 0, dictionary.size);
    return withDictionary(dictionary.indices, { bytes, size: dictionary.size }, 8, extremes);
  }
  const isExact = isDeltaExact(min, max);
  return {
    encoding: isExact ? Encoding.deltaBinaryPacked : Encoding.plain,
    dictionary: undefined,
    valueSize: 8,
    extremes,
    write: (out, start, end) =>
      isExact
        ? writeDelta(out, values[start] ?? 0, steps, start, end)
        : out.append(int64Bytes(values, start, end)),
  };
}

function encodeBooleans(column: Extract<DenseColumn, { readonly kind: 'boolean' }>): EncodedValues {
  const { values } = column;
  return {
    encoding: Encoding.rle,
    dictionary: undefined,
    valueSize: 1,
    extremes: column,
    write: (out, start, end) => writeSizedRle(out, values, start, end),
  };
}

function encodeText(text: TextValues): EncodedValues {
  const count = text.offsets.length - 1;
  const dictionary = textDictionary(text, count * MAX_DISTINCT_RATIO);
  if (dictionary) return encodeTextDictionary(dictionary.indices, dictionary.values);
  const prefixes = sharedPrefixes(text);
  const size = ((text.offsets[count] as number) - (text.offsets[0] as number)) / Math.max(count, 1);
  // A shared prefix of one or two bytes saves nothing, since the length of the prefix is stored, too.
  const isIncremental = prefixes.reduce((sum, prefix) => sum + prefix, 0) > count * 2;
  return {
    encoding: isIncremental ? Encoding.deltaByteArray : Encoding.deltaLengthByteArray,
    dictionary: undefined,
    valueSize: 4 + size,
    extremes: { kind: 'text', text },
    write: (out, start, end) =>
      isIncremental
        ? writeDeltaText(out, text, prefixes, start, end)
        : writeDeltaLengthText(out, text, start, end),
  };
}

function encodeTextDictionary(indices: Int32Array, values: TextValues): EncodedValues {
  const size = values.offsets.length - 1;
  const out = new ByteWriter();
  writePlainText(out, values, 0, size);
  return withDictionary(indices, { bytes: out.written(), size }, 4, { kind: 'text', text: values });
}

function withDictionary(
  indices: Int32Array,
  dictionary: DictionaryValues,
  valueSize: number,
  extremes: DenseColumn,
): EncodedValues {
  // A single value would need no bits, but some readers fail on a width of 0.
  const width = Math.max(1, bitWidth(dictionary.size - 1));
  return {
    encoding: Encoding.rleDictionary,
    dictionary,
    valueSize,
    extremes,
    write: (out, start, end) => {
      out.byte(width);
      writeRle(out, indices, start, end, width);
    },
  };
}

/** Writes RLE after its size in four bytes, as levels and booleans require. */
export function writeSizedRle(out: ByteWriter, values: Int32Array, start: number, end: number): void {
  const at = out.length;
  out.uint32(0);
  writeRle(out, values, start, end, 1);
  out.view.setUint32(at, out.length - at - 4, true);
}

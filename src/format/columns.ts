import type { Column } from '../dataset/data-types.js';
import type { SourceLine } from './csv/errors.js';

/**
 * What the CSV parser hands to the writers: rows in the file's order, column by column, in typed arrays, so
 * that a writer touches no string and no object per cell.
 *
 * What a writer may rely on:
 * - `columns[i]` belongs to column i of the schema (`readonly Column[]`, in the file's order), kind for kind.
 * - `values`, `indices`, and `nulls` have exactly `rows` elements; each `TextValues` has one offset more than
 *   values. `bytes` may be longer than its last offset.
 * - `nulls` is undefined exactly when `nullCount` is 0. At a null the value is 0 or empty, and means nothing.
 *   An empty cell is a null in every kind, text too, so no value that counts is the empty text.
 * - A parser's arrays are views into its memory, good until its next batch is asked for; they begin anywhere in it:
 *   mind `byteOffset`. What is to outlive that, or to go to another thread, is a copy (`copyOf`).
 * - A batch has the number of rows that was asked for; the last one may have fewer, and so may one whose text
 *   passes 32 MiB. Batches are the same for the same file, however its bytes came in.
 */
export interface Batch {
  /** Where in a file its first row is; undefined for rows that no file has. */
  readonly place?: SourceLine | undefined;
  readonly rows: number;
  readonly columns: readonly ColumnData[];
}

/** The schema of a file: its columns in the file's order. */
export type Schema = readonly Column[];

export type ColumnData = TimeColumn | IntegerColumn | NumberColumn | BooleanColumn | TextColumn;

export interface Nulls {
  /** 1 where the cell is empty. */
  readonly nulls: Uint8Array<ArrayBuffer> | undefined;
  readonly nullCount: number;
}

/**
 * Integer microseconds since the epoch, UTC. They are doubles and not bigints, since arithmetic on bigints is
 * some ten times slower; the parser refuses anything past 2^53 - 1 in magnitude, so each is exact.
 */
export interface TimeColumn extends Nulls {
  readonly kind: 'time';
  readonly values: Float64Array<ArrayBuffer>;
}

/** Whole numbers up to 2^53 - 1 in magnitude. No day file has any: they are made here, as counts of trades are. */
export interface IntegerColumn extends Nulls {
  readonly kind: 'integer';
  readonly values: Float64Array<ArrayBuffer>;
}

/**
 * Decimals: each value equals `Number(text)`, -0 included; none is NaN or infinite.
 *
 * `text` holds the CSV's own digits when the parser was asked for them (`numberText: true`), which NDJSON and
 * `--numbers string` do; null cells are empty in it. The digits match `-?\d+(\.\d+)?([eE][-+]?\d+)?`, which is
 * JSON's grammar but for leading zeros: `007.5` and `-00` pass here, and are not valid JSON.
 */
export interface NumberColumn extends Nulls {
  readonly kind: 'number';
  readonly values: Float64Array<ArrayBuffer>;
  readonly text: TextValues | undefined;
}

/** 1 is true. */
export interface BooleanColumn extends Nulls {
  readonly kind: 'boolean';
  readonly values: Uint8Array<ArrayBuffer>;
}

/** Text that repeats comes as a dictionary; text that doesn't (ids) comes plain. Each batch decides anew. */
export type TextColumn = DictionaryTextColumn | PlainTextColumn;

/**
 * The dictionary is of this batch alone: its values are distinct, in order of first appearance, and each occurs
 * in some row. `indices[row]` is a position in it (0 at a null; a column of nulls has an empty dictionary).
 */
export interface DictionaryTextColumn extends Nulls {
  readonly kind: 'text';
  readonly encoding: 'dictionary';
  readonly indices: Int32Array<ArrayBuffer>;
  readonly dictionary: TextValues;
}

export interface PlainTextColumn extends Nulls {
  readonly kind: 'text';
  readonly encoding: 'plain';
  readonly text: TextValues;
}

/** Value i is `bytes[offsets[i]]` up to, not including, `bytes[offsets[i + 1]]`: the CSV's bytes, UTF-8. */
export interface TextValues {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly offsets: Int32Array<ArrayBuffer>;
}

/** The same batch in arrays of its own, each with a buffer of its own. */
export function copyOf({ rows, columns }: Batch): Batch {
  return { rows, columns: columns.map(copyOfColumn) };
}

function copyOfColumn(column: ColumnData): ColumnData {
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
        text: column.text && copyOfTexts(column.text),
      };
    case 'text':
      if (column.encoding === 'plain') return { ...column, nulls, text: copyOfTexts(column.text) };
      return {
        ...column,
        nulls,
        indices: column.indices.slice(),
        dictionary: copyOfTexts(column.dictionary),
      };
  }
}

function copyOfTexts({ bytes, offsets }: TextValues): TextValues {
  return { bytes: bytes.slice(0, offsets.at(-1)), offsets: offsets.slice() };
}

/** The buffers of a batch of its own, for `postMessage(batch, transferables(batch))`; the batch is unusable here after. */
export function transferables(batch: Batch): ArrayBuffer[] {
  return [...new Set(batch.columns.flatMap(arraysOf).map((array) => array.buffer))];
}

function arraysOf(column: ColumnData): { readonly buffer: ArrayBuffer }[] {
  const nulls = column.nulls ? [column.nulls] : [];
  if (column.kind !== 'text') {
    const text = column.kind === 'number' && column.text ? textArrays(column.text) : [];
    return [column.values, ...text, ...nulls];
  }
  if (column.encoding === 'plain') return [...textArrays(column.text), ...nulls];
  return [column.indices, ...textArrays(column.dictionary), ...nulls];
}

function textArrays(text: TextValues): { readonly buffer: ArrayBuffer }[] {
  return [text.bytes, text.offsets];
}

import type { Column } from '../day-files/data-types.js';
import type { SourceLine } from './csv/csv-cells.js';

/**
 * Rows as the CSV parser passes them to the writers: in the order of the file, by column, in typed arrays. So
 * a writer creates no string and no object per cell.
 *
 * - `columns[i]` holds column i of the schema and has its kind.
 * - `values`, `indices` and `nulls` have exactly `rows` elements; each `TextValues` has one more offset than
 *   values. `bytes` may be longer than its last offset.
 * - `nulls` is undefined exactly if `nullCount` is 0. At a null the value is 0 or empty, and has no meaning.
 *   An empty cell is a null in every kind, text too, so no text value is empty.
 * - A parser's arrays are views into its memory, valid until the next batch is requested. They may start at
 *   any `byteOffset`. Copy a batch (`copyBatch`) to keep it longer or to post it to another thread.
 * - A batch has the requested number of rows; the last one may have fewer, and so may one with much text
 *   (`maxBatchTextBytes`). The same file always has the same batches, however its bytes are chunked.
 */
export interface Batch {
  /** Line of the first row; undefined for rows that are not from a file. */
  readonly firstLine?: SourceLine | undefined;
  readonly rows: number;
  readonly schema: Schema;
  readonly columns: readonly ColumnData[];
}

/** Columns of a file, in its order. */
export type Schema = readonly Column[];

export type ColumnData = TimeColumn | IntegerColumn | NumberColumn | BooleanColumn | TextColumn;

export interface Nulls {
  /** 1 if the cell is empty. */
  readonly nulls: Uint8Array<ArrayBuffer> | undefined;
  readonly nullCount: number;
}

/**
 * Integer microseconds since the epoch, UTC. Doubles, because arithmetic on bigints is about ten times
 * slower. Each value is exact: the parser refuses anything beyond 2^53 - 1 in magnitude.
 */
export interface TimeColumn extends Nulls {
  readonly kind: 'time';
  readonly values: Float64Array<ArrayBuffer>;
}

/** Integers up to 2^53 - 1 in magnitude. Only computed types have them, for example as numbers of trades. */
export interface IntegerColumn extends Nulls {
  readonly kind: 'integer';
  readonly values: Float64Array<ArrayBuffer>;
}

/**
 * The numbers of a batch that keep their text: none, all (for NDJSON and `--numbers string`), or only long ones. A
 * number is long unless it is written with up to 15 digits and without an exponent: then its double determines it,
 * since different decimals of up to 15 digits are different doubles.
 */
export type NumberText = 'none' | 'all' | 'long';

/**
 * Decimals: each value equals `Number(text)`, including -0; none is NaN or infinite.
 *
 * `text` holds the cells as they are in the CSV, if the parser keeps them (`NumberText`); null cells are empty in it,
 * and so are those that are not long, if only these keep their text. It is undefined if no cell keeps its text. It
 * matches `-?\d+(\.\d+)?([eE][-+]?\d+)?`, which is JSON's grammar plus leading zeros: `007.5` and `-00` are accepted
 * here, but are not valid JSON.
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

/** Repeated texts use a dictionary; distinct ones (ids) are plain. The encoding is chosen for each batch. */
export type TextColumn = DictionaryTextColumn | PlainTextColumn;

/**
 * The dictionary belongs to this batch only: its values are distinct, in order of first appearance, and each
 * occurs in some row. `indices[row]` is a position in it (0 at a null; a column of nulls has an empty
 * dictionary).
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

/**
 * Value i is `bytes[offsets[i]]` up to, but not including, `bytes[offsets[i + 1]]`: the CSV's bytes, UTF-8.
 */
export interface TextValues {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly offsets: Int32Array<ArrayBuffer>;
}

/** Each array of a copy begins at a multiple of this, as arrays of doubles must. */
const ALIGNMENT = 8;

/** A batch whose arrays are all in one buffer, which can be transferred to another thread. */
export interface CopiedBatch {
  readonly batch: Batch;
  readonly memory: ArrayBuffer;
}

/**
 * Copies a batch, to keep it longer or to post it to another thread.
 * @param memory of an earlier copy, which is overwritten if it is large enough.
 */
export function copyBatch(batch: Batch, memory?: ArrayBuffer): CopiedBatch {
  let needed = 0;
  mapViews(batch, (view) => {
    needed += align(view.byteLength);
    return view;
  });
  // A quarter more, so that the next batch probably fits.
  const target = memory && memory.byteLength >= needed ? memory : new ArrayBuffer(needed + needed / 4);
  const bytes = new Uint8Array(target);
  let at = 0;
  const copied = mapViews(batch, (view) => {
    bytes.set(new Uint8Array(view.buffer, view.byteOffset, view.byteLength), at);
    const type = view.constructor as new (buffer: ArrayBuffer, at: number, length: number) => View;
    const copy = new type(target, at, view.length);
    at += align(view.byteLength);
    return copy;
  });
  return { batch: copied, memory: target };
}

type View = Uint8Array | Int32Array | Float64Array;

/** A copy of plain data in which each array of numbers is replaced. */
function mapViews<T>(value: T, map: (view: View) => View): T {
  if (ArrayBuffer.isView(value)) return map(value as unknown as View) as T;
  if (Array.isArray(value)) return value.map((item) => mapViews(item, map)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapViews(item, map)])) as T;
}

function align(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

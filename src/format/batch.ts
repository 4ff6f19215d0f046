import type { TickhaulError } from '../base/errors.js';
import type { Column } from '../day-files/data-types.js';
import { createCellError, type SourceLine } from './csv/csv-cells.js';

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

/** A text column by its name. */
export function getTextColumn(batch: Batch, name: string): TextColumn {
  const column = getColumn(batch, name);
  if (column.kind === 'text') return column;
  throw new Error(`the column ${name} has no text`);
}

/** The bytes of a cell in a text column; empty if the cell is. */
export function getTextBytes(batch: Batch, name: string, row: number): Uint8Array {
  const column = getTextColumn(batch, name);
  if (column.nulls?.[row] === 1) return new Uint8Array();
  const [at, { bytes, offsets }] =
    column.encoding === 'dictionary' ? [column.indices[row] ?? 0, column.dictionary] : [row, column.text];
  return bytes.subarray(offsets[at], offsets[at + 1]);
}

/** The error of a cell that is text or empty. @param problem completes a sentence that begins with the cell. */
export function createBatchError(batch: Batch, name: string, row: number, problem: string): TickhaulError {
  const { source = 'rows', line = 0 } = batch.firstLine ?? {};
  const cell = getColumn(batch, name).kind === 'text' ? getTextBytes(batch, name, row) : new Uint8Array();
  return createCellError({ source, line: line + row }, name, cell, problem);
}

/**
 * Creates a function that throws TickhaulError `corrupt` for a row with an empty cell; undefined if the batch has none.
 * @param problem as for `createBatchError`.
 */
export function createFilledCheck(
  batch: Batch,
  names: readonly string[],
  problem: string,
): ((row: number) => void) | undefined {
  const columns = names.filter((name) => getColumn(batch, name).nulls?.includes(1));
  if (columns.length === 0) return undefined;
  return (row) => {
    for (const name of columns)
      if (getColumn(batch, name).nulls?.[row]) throw createBatchError(batch, name, row, problem);
  };
}

/** @throws TickhaulError `corrupt` for the first row with an empty cell. @param problem as for `createBatchError`. */
export function assertFilled(batch: Batch, names: readonly string[], problem: string): void {
  const assertRow = createFilledCheck(batch, names, problem);
  if (assertRow) for (let row = 0; row < batch.rows; row++) assertRow(row);
}

/** A text column as positions in its distinct texts. */
export interface TextDictionary {
  readonly indices: Int32Array;
  readonly texts: readonly string[];
}

/** A text column by its name, as a dictionary, which it may be already. A null has the position of any text. */
export function getDictionary(batch: Batch, name: string): TextDictionary {
  return toDictionary(getTextColumn(batch, name));
}

/** Converts a text column to a dictionary, unless it is one. */
export function toDictionary(column: TextColumn): TextDictionary {
  if (column.encoding === 'dictionary') {
    return { indices: column.indices, texts: decodeTexts(column.dictionary) };
  }
  const known = new Map<string, number>();
  const indices = Int32Array.from(decodeTexts(column.text), (text) => {
    const index = known.get(text) ?? known.size;
    known.set(text, index);
    return index;
  });
  return { indices, texts: [...known.keys()] };
}

/** Decodes all texts. */
export function decodeTexts(values: TextValues): string[] {
  const texts: string[] = [];
  for (let i = 0; i + 1 < values.offsets.length; i++) texts.push(decodeTextAt(values, i));
  return texts;
}

/** Decodes the text at a position. */
export function decodeTextAt({ bytes, offsets }: TextValues, index: number): string {
  return decodeRange(bytes, offsets[index] as number, offsets[index + 1] as number);
}

/** Decodes the bytes from `start` up to `end`. */
export function decodeRange({ buffer, byteOffset }: Uint8Array, start: number, end: number): string {
  return Buffer.from(buffer, byteOffset + start, end - start).toString();
}

/**
 * Maps a text column with few distinct values to codes, one per row; 0 for empty cells.
 * @param otherCode for texts without a code.
 */
export function getTextCodes(
  batch: Batch,
  name: string,
  codes: Readonly<Record<string, number>>,
  otherCode = 0,
): Uint8Array {
  const { indices, texts } = getDictionary(batch, name);
  const byIndex = Uint8Array.from(
    texts,
    (text) => (Object.hasOwn(codes, text) ? codes[text] : undefined) ?? otherCode,
  );
  const out = new Uint8Array(batch.rows);
  for (let row = 0; row < batch.rows; row++) out[row] = byIndex[indices[row] as number] as number;
  const { nulls } = getColumn(batch, name);
  if (nulls) for (let row = 0; row < batch.rows; row++) if (nulls[row] === 1) out[row] = 0;
  return out;
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

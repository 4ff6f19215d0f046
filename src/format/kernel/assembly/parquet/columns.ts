// The columns of the batch in the making.
import { clearDictionary, createDictionary, Dictionary } from './dictionary';
import { allocate } from '../memory';
import { append, createTexts, resetBudget, reserveAll, Texts } from './texts';

/** Microseconds, or any whole numbers, as doubles. */
export const TIME: i32 = 0;
/** Doubles, and their digits where `text` is there. */
export const NUMBER: i32 = 1;
/** Bytes of 0 and 1. */
export const BOOLEAN: i32 = 2;
/** Indices of a dictionary, 32 bits. */
export const TEXT: i32 = 3;
/** Text of which the batch has no dictionary, or no longer. */
export const PLAIN: i32 = 4;

@unmanaged
export class Column {
  kind: i32;
  /** Whether no cell may be empty. */
  required: bool;
  /** The values, one a row. At a null, 0. */
  lane: usize;
  /** A byte a row: 1 where the cell is empty. */
  nulls: usize;
  nullCount: i32;
  dictionary: Dictionary | null;
  text: Texts | null;
}

let records: usize = 0;
export let columnCount: i32 = 0;
/** Rows that there is room for. */
export let capacity: i32 = 0;
/** Whole rows so far. */
export let rowCount: i32 = 0;

// @ts-ignore: decorator
@inline
export function columnAt(index: i32): Column {
  return changetype<Column>(records + <usize>index * offsetof<Column>());
}

/** Begins a table of so many columns, each to be described by `setColumn`; false where the memory is full. */
export function createColumns(count: i32): bool {
  records = allocate(<u64>count * offsetof<Column>());
  columnCount = count;
  capacity = 0;
  return records != 0;
}

export function setColumn(index: i32, kind: i32, required: bool): void {
  const column = columnAt(index);
  column.kind = kind;
  column.required = required;
}

/** Room for so many rows, and for the digits of numbers where asked for; false where the memory is full. */
export function layOut(rows: i32, numberText: bool): bool {
  for (let i = 0; i < columnCount; i++) {
    const column = columnAt(i);
    const kind = column.kind;
    column.lane = allocate(<u64>rows << (kind <= NUMBER ? 3 : kind == BOOLEAN ? 0 : 2));
    column.nulls = allocate(rows);
    if (column.lane == 0 || column.nulls == 0) return false;
    column.nullCount = 0;
    if (kind >= TEXT && column.dictionary == null) {
      column.dictionary = createDictionary();
      if (column.dictionary == null) return false;
    }
    if (kind == NUMBER && numberText) {
      column.text = createTexts(rows);
      if (column.text == null) return false;
    }
  }
  capacity = rows;
  return true;
}

// What the outside sees of a column.

export function laneOf(index: i32): usize {
  return columnAt(index).lane;
}

export function nullsOf(index: i32): usize {
  return columnAt(index).nulls;
}

export function nullCountOf(index: i32): i32 {
  return columnAt(index).nullCount;
}

/** Whether a text column has no dictionary. */
export function isPlain(index: i32): bool {
  return columnAt(index).kind == PLAIN;
}

/** The plain text of a column, the digits of a number column, or the values of a dictionary; null for none. */
export function textsOf(index: i32): Texts | null {
  const column = columnAt(index);
  return column.kind == TEXT ? (column.dictionary as Dictionary).texts : column.text;
}

export function bytesOf(texts: Texts): usize {
  return texts.bytes;
}

export function offsetsOf(texts: Texts): usize {
  return texts.offsets;
}

export function countOf(texts: Texts): i32 {
  return texts.count;
}

// Columns that were made elsewhere: the outside fills what these functions make room for.

/** Says how many of a column's nulls are set. */
export function loadNulls(index: i32, count: i32): void {
  columnAt(index).nullCount = count;
}

/** Room for so many texts of so many bytes altogether; null where the memory is full. */
export function loadTexts(index: i32, plain: bool, count: i32, bytes: i32): Texts | null {
  const column = columnAt(index);
  if (column.kind >= TEXT) column.kind = plain ? PLAIN : TEXT;
  if (column.kind != TEXT && column.text == null) column.text = createTexts(count);
  const texts = column.kind == TEXT ? (column.dictionary as Dictionary).texts : column.text;
  return texts != null && reserveAll(texts, count, bytes) ? texts : null;
}

/** Forgets all rows. */
export function clearColumns(): void {
  for (let i = 0; i < columnCount; i++) {
    const column = columnAt(i);
    if (column.nullCount > 0) memory.fill(column.nulls, 0, capacity);
    column.nullCount = 0;
    const dictionary = column.dictionary;
    if (dictionary != null) {
      column.kind = TEXT;
      clearDictionary(dictionary);
    }
    const text = column.text;
    if (text != null) text.count = 0;
  }
  rowCount = 0;
  resetBudget();
}

export function setRowCount(rows: i32): void {
  rowCount = rows;
}

/** An empty cell. */
export function putNull(column: Column, row: i32): bool {
  store<u8>(column.nulls + row, 1);
  column.nullCount++;
  const kind = column.kind;
  if (kind <= NUMBER) store<u64>(column.lane + (<usize>row << 3), 0);
  else if (kind == BOOLEAN) store<u8>(column.lane + row, 0);
  else if (kind == TEXT) store<i32>(column.lane + (<usize>row << 2), 0);
  const text = column.text;
  if (text == null || kind == TEXT) return true;
  return append(text, 0, 0);
}

/** The text of a column that has shown that a dictionary doesn't pay; false where the memory is full. */
export function turnPlain(column: Column, rows: i32): bool {
  const dictionary = column.dictionary as Dictionary;
  let text = column.text;
  if (text == null) {
    text = createTexts(capacity);
    if (text == null) return false;
    column.text = text;
  }
  const from = dictionary.texts;
  for (let row = 0; row < rows; row++) {
    if (load<u8>(column.nulls + row) != 0) {
      if (!append(text, 0, 0)) return false;
      continue;
    }
    const offset = from.offsets + (<usize>load<i32>(column.lane + (<usize>row << 2)) << 2);
    const at = load<i32>(offset);
    if (!append(text, from.bytes + at, load<i32>(offset, 4) - at)) return false;
  }
  column.kind = PLAIN;
  return true;
}

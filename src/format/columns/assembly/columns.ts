// The columns of the current batch.
import { Dictionary, Texts, append, clearDictionary, createDictionary, createTexts, padTexts } from './texts';
import { allocate } from '../../assembly/memory';

/** Microseconds or other integers, as doubles. */
export const TIME: i32 = 0;
/** Doubles, and their text if it is requested. */
export const NUMBER: i32 = 1;
/** Bytes of 0 and 1. */
export const BOOLEAN: i32 = 2;
/** Indices of a dictionary, 32 bits. */
export const TEXT: i32 = 3;
/** Text without a dictionary in this batch. */
export const PLAIN: i32 = 4;

/** The numbers that keep their text: none, all, or those that their double does not determine. */
const ALL_TEXT: i32 = 1;
const LONG_TEXT: i32 = 2;

@unmanaged
export class Column {
  kind: i32;
  /** Whether cells must not be empty. */
  required: bool;
  /** The values, one per row; 0 at a null. */
  lane: usize;
  /** A byte per row: 1 if the cell is empty. */
  nulls: usize;
  nullCount: i32;
  dictionary: Dictionary | null;
  text: Texts | null;
  /** Whether all numbers have text. */
  hasAllText: bool;
}

let records: usize = 0;
export let columnCount: i32 = 0;
/** Rows that fit. */
export let capacity: i32 = 0;
/** Number of complete rows. */
export let rowCount: i32 = 0;

// @ts-ignore: decorator
@inline
export function columnAt(index: i32): Column {
  return changetype<Column>(records + <usize>index * offsetof<Column>());
}

/** Starts a table of `count` columns, each to be set by `setColumn`; false if the memory is full. */
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

/** Allocates the columns for a number of rows, with the requested text of numbers; false if the memory is full. */
export function allocateLanes(rows: i32, numberText: i32): bool {
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
    column.hasAllText = kind == NUMBER && numberText == ALL_TEXT;
    if (kind == NUMBER && (numberText == ALL_TEXT || numberText == LONG_TEXT)) {
      column.text = createTexts(rows);
      if (column.text == null) return false;
    }
  }
  capacity = rows;
  return true;
}

// Access to a column from outside.

export function getLane(index: i32): usize {
  return columnAt(index).lane;
}

export function getNulls(index: i32): usize {
  return columnAt(index).nulls;
}

export function getNullCount(index: i32): i32 {
  return columnAt(index).nullCount;
}

/** Whether a text column has no dictionary. */
export function isPlain(index: i32): bool {
  return columnAt(index).kind == PLAIN;
}

/**
 * The plain text of a column, the text of a number column, or the values of a dictionary; null if there is
 * none.
 */
export function getTexts(index: i32): Texts | null {
  const column = columnAt(index);
  return column.kind == TEXT ? (column.dictionary as Dictionary).texts : column.text;
}

/** Completes the texts of a number column of which not all have text; false if none has. */
export function padLongTexts(index: i32): bool {
  const text = columnAt(index).text as Texts;
  if (text.count == 0) return false;
  padTexts(text, rowCount);
  return true;
}

export function getBytes(texts: Texts): usize {
  return texts.bytes;
}

export function getOffsets(texts: Texts): usize {
  return texts.offsets;
}

export function getCount(texts: Texts): i32 {
  return texts.count;
}

/** Removes all rows. */
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
}

export function setRowCount(rows: i32): void {
  rowCount = rows;
}

/** Removes the cells of the row that is not complete, and texts that only it has. */
export function dropPartialRow(): void {
  for (let i = 0; i < columnCount; i++) {
    const column = columnAt(i);
    const isNull = column.nulls + rowCount;
    if (rowCount < capacity && load<u8>(isNull) != 0) {
      store<u8>(isNull, 0);
      column.nullCount--;
    }
    const dictionary = column.dictionary;
    if (dictionary != null && !hasLastText(column, dictionary.texts.count)) dictionary.texts.count--;
    const text = column.text;
    if (text != null && text.count > rowCount) text.count = rowCount;
  }
}

/** Whether a complete row has the last of `count` texts of a dictionary; true if there is none. */
function hasLastText(column: Column, count: i32): bool {
  if (column.kind != TEXT || count == 0) return true;
  for (let row = rowCount - 1; row >= 0; row--) {
    const isLast = load<i32>(column.lane + (<usize>row << 2)) == count - 1;
    if (isLast && load<u8>(column.nulls + row) == 0) return true;
  }
  return false;
}

/** Writes an empty cell. */
export function putNull(column: Column, row: i32): bool {
  store<u8>(column.nulls + row, 1);
  column.nullCount++;
  const kind = column.kind;
  if (kind <= NUMBER) store<u64>(column.lane + (<usize>row << 3), 0);
  else if (kind == BOOLEAN) store<u8>(column.lane + row, 0);
  else if (kind == TEXT) store<i32>(column.lane + (<usize>row << 2), 0);
  const text = column.text;
  if (text == null || kind == TEXT || (kind == NUMBER && !column.hasAllText)) return true;
  return append(text, 0, 0);
}

/**
 * Turns a column with too many distinct values from dictionary to plain text; false if the memory is full.
 */
export function convertToPlain(column: Column, rows: i32): bool {
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

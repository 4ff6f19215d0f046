// Rows of text to columns.
import {
  BOOLEAN,
  capacity,
  Column,
  columnAt,
  columnCount,
  NUMBER,
  PLAIN,
  putNull,
  rowCount,
  setRowCount,
  TEXT,
  TIME,
  turnPlain,
} from './columns';
import {
  decimal,
  digitsAt,
  longDecimal,
  scaled,
  shortDecimal,
  sixteenDigits,
  stopsIn,
} from './decimal';
import { add, Dictionary, find, growDictionary, isCrowded, UNKNOWN } from './dictionary';
import { allocate } from './memory';
import { append, budget, isAscii, Texts } from './texts';

/** Why `parseRows` stopped: the text is at its end; */
export const DONE: i32 = 0;
/** the batch is full, and a row is left; */
export const FULL: i32 = 1;
/** the cell at `cellStart` in `cellColumn` is not for here; */
export const CELL: i32 = 2;
/** the memory is full. */
export const NO_ROOM: i32 = 3;

const LF: i32 = 10;
const CR: u32 = 13;
const COMMA: i32 = 44;
const MINUS: u32 = 45;
const POINT: u32 = 46;
/** The words true, and fals before its e, as little-endian numbers. */
const TRUE: u32 = 0x65757274;
const FALS: u32 = 0x736c6166;
const E: u32 = 0x65;
const MOST_TIME: i64 = 9007199254740991;

export let cellStart: usize = 0;
export let cellColumn: i32 = 0;

/** The columns before the first number. A row may share the text of some with the row before it. */
let leadingColumns: i32 = 0;
/** How many of them are looked at in this batch: none from a plain text on. */
let leading: i32 = 0;
/** How many the row before the present one has to share; no more than `leading`. */
let shared: i32 = 0;
/** Where the rows begin. */
let rowBefore: usize = 0;
let rowStart: usize = 0;
/** For each leading column, where its cell ends, the separator included, counted from the row's start. */
let ends: usize = 0;

/** To be called when the columns are known; false where the memory is full. */
export function prepareRows(): bool {
  leadingColumns = 0;
  while (leadingColumns < columnCount && columnAt(leadingColumns).kind != NUMBER) leadingColumns++;
  ends = allocate((<u64>leadingColumns << 2) + 4);
  clearRows();
  return ends != 0;
}

/** Begins a batch. */
export function clearRows(): void {
  leading = leadingColumns;
  shared = 0;
}

/** Whether the next row belongs to another batch. */
export function isFull(): bool {
  return rowCount >= capacity || budget < 0;
}

/** What the present row has not the text for, the next one can't share. */
function shareUpTo(column: i32): void {
  if (column < shared) shared = column;
}

// @ts-ignore: decorator
@inline
function setEnd(column: i32, behind: usize): void {
  if (column < leading) store<i32>(ends + (<usize>column << 2), <i32>(behind - rowStart));
}

/** Takes whole rows from `from` up to `to`, of a text that stands where none stood when the last row was taken. */
export function parseRows(from: usize, to: usize): i32 {
  cellColumn = 0;
  shared = 0;
  return proceed(from, to);
}

/** Goes on at `next`, behind a cell that was taken elsewhere. */
export function passCell(next: usize, to: usize): i32 {
  setEnd(cellColumn, next);
  cellColumn++;
  if (cellColumn == columnCount) endRow();
  return proceed(next, to);
}

/** Ends a row that was taken cell by cell. */
export function endRow(): void {
  cellColumn = 0;
  setRowCount(rowCount + 1);
}

/** An empty cell of the present row, which was taken elsewhere; false where the memory is full. */
export function takeNull(column: i32): bool {
  shareUpTo(column);
  return putNull(columnAt(column), rowCount);
}

/** A number, time or boolean of the present row, and its text. */
export function takeValue(column: i32, value: f64, p: usize, length: i32): bool {
  const record = columnAt(column);
  if (record.kind == BOOLEAN) store<u8>(record.lane + rowCount, <u8>value);
  else store<f64>(record.lane + (<usize>rowCount << 3), value);
  const text = record.text;
  return text == null || append(text, p, length);
}

/** A text of the present row that was proven to be UTF-8. */
export function takeText(column: i32, p: usize, length: i32): bool {
  const record = columnAt(column);
  if (record.kind == TEXT && !makeRoom(record, column, p, length)) return false;
  if (record.kind == PLAIN) return append(record.text as Texts, p, length);
  const dictionary = record.dictionary as Dictionary;
  let index = find(dictionary, p, length);
  if (index == UNKNOWN) index = add(dictionary, p, length);
  store<i32>(record.lane + (<usize>rowCount << 2), index);
  return index >= 0;
}

/** Sees to it that the dictionary, or the plain text instead, takes the text; false where the memory is full. */
function makeRoom(record: Column, column: i32, p: usize, length: i32): bool {
  const dictionary = record.dictionary as Dictionary;
  if (!isCrowded(dictionary) || find(dictionary, p, length) != UNKNOWN) return true;
  if (2 * dictionary.texts.count <= rowCount) return growDictionary(dictionary);
  if (leading > column) leading = column;
  shareUpTo(column);
  return turnPlain(record, rowCount);
}

/** Whether a text of the present row was taken; if not, `textProblem` tells why. */
function parseText(record: Column, column: i32, p: usize, length: i32): bool {
  textProblem = CELL;
  if (record.kind == TEXT) {
    const dictionary = record.dictionary as Dictionary;
    let index = find(dictionary, p, length);
    if (index == UNKNOWN) {
      if (!isAscii(p, length)) return false;
      textProblem = NO_ROOM;
      if (isCrowded(dictionary)) return takeText(column, p, length);
      index = add(dictionary, p, length);
      if (index < 0) return false;
    }
    store<i32>(record.lane + (<usize>rowCount << 2), index);
    return true;
  }
  if (!isAscii(p, length)) return false;
  textProblem = NO_ROOM;
  return append(record.text as Texts, p, length);
}

let textProblem: i32 = 0;

/** Where the cell ends that begins at `p`: at a comma or LF. */
// @ts-ignore: decorator
@inline
function endOfCell(p: usize): usize {
  let bits = 0;
  for (; ; p += 16) {
    const bytes = v128.load(p);
    const found = v128.or(i8x16.eq(bytes, i8x16.splat(<i8>COMMA)), i8x16.eq(bytes, i8x16.splat(<i8>LF)));
    bits = i8x16.bitmask(found);
    if (bits != 0) break;
  }
  return p + ctz(bits);
}

/** How many bytes at `p` are the same as in the row before, up to `most` or some more. */
// @ts-ignore: decorator
@inline
function sharedLength(p: usize, most: i32): i32 {
  for (let length: i32 = 0; length < most; length += 16) {
    const same = i8x16.eq(v128.load(rowBefore + length), v128.load(p + length));
    const different = i8x16.bitmask(same) ^ 0xffff;
    if (different != 0) return length + ctz(different);
  }
  return most;
}

/** Gives the leading cells that are written as in the row before its values; gives how many these are. */
function shareCells(p: usize): i32 {
  const length = sharedLength(p, load<i32>(ends + (<usize>(shared - 1) << 2)));
  let column = 0;
  while (column < shared && load<i32>(ends + (<usize>column << 2)) <= length) {
    const record = columnAt(column);
    const kind = record.kind;
    if (kind == TIME) {
      const at = record.lane + (<usize>rowCount << 3);
      store<u64>(at, load<u64>(at - 8));
    } else if (kind == TEXT) {
      const at = record.lane + (<usize>rowCount << 2);
      store<i32>(at, load<i32>(at - 4));
    } else {
      const at = record.lane + rowCount;
      store<u8>(at, load<u8>(at - 1));
    }
    column++;
  }
  return column;
}

function stopAt(column: i32, p: usize, why: i32): i32 {
  cellColumn = column;
  cellStart = p;
  return why;
}

/**
 * Takes rows from `cellColumn` of the present one on. `to` stands behind an LF, and the text may be read for some
 * bytes behind it: each cell is read up to its LF at most, and 16 bytes on.
 */
function proceed(from: usize, to: usize): i32 {
  const last = columnCount - 1;
  let p = from;
  let c = cellColumn;
  while (p < to) {
    if (c == 0) {
      if (isFull()) return stopAt(0, p, FULL);
      if (shared > 0) {
        c = shareCells(p);
        rowBefore = p;
        rowStart = p;
        if (c > 0) p += load<i32>(ends + (<usize>(c - 1) << 2));
      } else {
        rowBefore = p;
        rowStart = p;
      }
      shared = leading;
    }
    const row = rowCount;
    for (; c <= last; c++) {
      const column = columnAt(c);
      const separator = c == last ? LF : COMMA;
      const kind = column.kind;
      if (kind == NUMBER) {
        const start = p + <usize>(load<u8>(p) == MINUS);
        const digits = digitsAt(start);
        const stops = stopsIn(digits);
        const point = ctz(stops | 0x10000);
        let end: usize = 0;
        let value: f64 = 0;
        if (load<u8>(start + point) == POINT) {
          const length = ctz((stops & (stops - 1)) | 0x10000);
          if (point > 0 && length < 16 && length > point + 1) {
            end = start + length;
            value = scaled(shortDecimal(digits, point, length), length - point - 1);
          }
        } else if (point > 0 && point < 16) {
          end = start + point;
          value = <f64>shortDecimal(digits, point, point);
        }
        if (end == 0 || <i32>load<u8>(end) != separator) {
          end = longDecimal(start);
          value = decimal;
        }
        if (end != 0 && <i32>load<u8>(end) == separator) {
          store<f64>(column.lane + (<usize>row << 3), start > p ? -value : value);
          const text = column.text;
          if (text != null && !append(text, p, <i32>(end - p))) return stopAt(c, p, NO_ROOM);
          p = end + 1;
          continue;
        }
      } else if (kind == TIME) {
        // The 16 digits of any time from September 2001 on.
        const digits = digitsAt(p);
        if (stopsIn(digits) == 0 && <i32>load<u8>(p + 16) == separator) {
          const value = sixteenDigits(digits);
          if (value <= MOST_TIME) {
            store<f64>(column.lane + (<usize>row << 3), <f64>value);
            p += 17;
            setEnd(c, p);
            continue;
          }
        }
      } else if (kind == BOOLEAN) {
        const word = load<u32>(p);
        const isTrue = word == TRUE;
        const isFalse = word == FALS && load<u8>(p + 4) == E;
        const end = p + (isTrue ? 4 : 5);
        if ((isTrue || isFalse) && <i32>load<u8>(end) == separator) {
          store<u8>(column.lane + row, <u8>isTrue);
          p = end + 1;
          setEnd(c, p);
          continue;
        }
      } else {
        const end = endOfCell(p);
        // A CR before the last LF belongs to the line's end.
        const isUsual = end > p && <i32>load<u8>(end) == separator && (c < last || load<u8>(end - 1) != CR);
        if (isUsual) {
          if (!parseText(column, c, p, <i32>(end - p))) return stopAt(c, p, textProblem);
          p = end + 1;
          setEnd(c, p);
          continue;
        }
      }
      if (<i32>load<u8>(p) != separator || column.required) return stopAt(c, p, CELL);
      if (!putNull(column, row)) return stopAt(c, p, NO_ROOM);
      shareUpTo(c);
      p++;
      setEnd(c, p);
    }
    endRow();
    c = 0;
  }
  cellColumn = 0;
  return DONE;
}

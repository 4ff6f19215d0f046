// Parses rows of text into columns.
import { COMMA, CR, LF, MINUS, POINT, findCellEnd, findNonDigits, loadDigits, sixteenDigits } from '../../assembly/bytes';
import { BOOLEAN, Column, NUMBER, PLAIN, TEXT, TIME, capacity, columnAt, columnCount, convertToPlain, putNull, rowCount, setRowCount } from './columns';
import { decimal, isExact, longDecimal, scaled, shortDecimal } from './numbers';
import { Dictionary, Texts, UNKNOWN, add, append, find, growDictionary, isAscii, isCrowded, padTexts } from './texts';
import { beginRow, beginWideRow, clearPreviousRow, getPreviousEnd, getSharedEnd, isWide, limitLeading, limitShared, setEnd, shareCells } from './sharing';

/** Why `parseRows` stopped: end of the text; */
export const DONE: i32 = 0;
/** the batch has all its rows or all its text, and a row is left; */
export const FULL: i32 = 1;
/** the cell at `cellStart` in `cellColumn` must be parsed outside; */
export const CELL: i32 = 2;
/** the memory is full. */
export const NO_ROOM: i32 = 3;

/** The word `true`, and `fals` before its `e`, as little-endian numbers. */
const TRUE: u32 = 0x65757274;
const FALS: u32 = 0x736c6166;
const E: u32 = 0x65;
const MAX_TIME: i64 = 9007199254740991;

export let cellStart: usize = 0;
export let cellColumn: i32 = 0;

/** The batch gets no row that begins at this address or after it. */
let fullAt: usize = 0;

/**
 * Parses complete rows from `from` up to `to` that begin before `full`. The text may have replaced that of the previous
 * row.
 */
export function parseRows(from: usize, to: usize, full: usize): i32 {
  cellColumn = 0;
  fullAt = full;
  clearPreviousRow();
  return continueRows(from, to);
}

/** Continues at `next`, after a cell that was parsed outside. */
export function resumeAfterCell(next: usize, to: usize): i32 {
  setEnd(cellColumn, next);
  cellColumn++;
  if (cellColumn == columnCount) endRow();
  return continueRows(next, to);
}

/** Ends a row that was appended cell by cell. */
export function endRow(): void {
  cellColumn = 0;
  setRowCount(rowCount + 1);
}

/** Stops at the cell at `p`; returns the reason. */
function stopAt(column: i32, p: usize, reason: i32): i32 {
  cellColumn = column;
  cellStart = p;
  return reason;
}

/**
 * Parses rows from `cellColumn` of the current row on. `to` is after an LF. The text is read beyond `to`:
 * each cell is read up to its LF, and 16 bytes further.
 */
// @ts-ignore: decorator
@inline
function continueRows(from: usize, to: usize): i32 {
  return isWide ? parseWideRows(from, to) : parseNarrowRows(from, to);
}

function parseWideRows(from: usize, to: usize): i32 {
  return parseCells(from, to, true);
}

function parseNarrowRows(from: usize, to: usize): i32 {
  return parseCells(from, to, false);
}

/** @param comparesNumbers whether all cells are compared with those of the previous row, not only the leading ones. */
// @ts-ignore: decorator
@inline
function parseCells(from: usize, to: usize, comparesNumbers: bool): i32 {
  const last = columnCount - 1;
  let p = from;
  let c = cellColumn;
  /** Start of the cell in the previous row, if it may be copied. */
  let previous: usize = 0;
  while (p < to) {
    if (c == 0) {
      if (rowCount >= capacity || p >= fullAt) return stopAt(0, p, FULL);
      c = comparesNumbers ? beginWideRow(p) : beginRow(p);
      if (c > 0) p = getSharedEnd(c);
      // Only rows with the symbol of the previous row repeat its numbers. It is the second column.
      if (comparesNumbers) previous = c > 1 ? getPreviousEnd(c - 1) : 0;
    }
    const row = rowCount;
    for (; c <= last; c++) {
      if (comparesNumbers && previous != 0) {
        const next = shareCells(c, previous, p);
        if (next > c) {
          p = getSharedEnd(next);
          c = next;
          if (c > last) break;
        }
        previous = getPreviousEnd(c);
      }
      const column = columnAt(c);
      const separator = c == last ? LF : COMMA;
      const kind = column.kind;
      if (kind == NUMBER) {
        const start = p + <usize>(load<u8>(p) == MINUS);
        const digits = loadDigits(start);
        const stops = findNonDigits(digits);
        const point = ctz(stops | 0x10000);
        let end: usize = 0;
        let value: f64 = 0;
        let isLong = false;
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
          // An empty cell, or no number.
          end = point == 0 ? 0 : longDecimal(start);
          value = decimal;
          isLong = !isExact;
        }
        if (end != 0 && <i32>load<u8>(end) == separator) {
          store<f64>(column.lane + (<usize>row << 3), start > p ? -value : value);
          if (!keepNumberText(column, c, p, <i32>(end - p), isLong)) return stopAt(c, p, NO_ROOM);
          p = end + 1;
          if (comparesNumbers) setEnd(c, p);
          continue;
        }
      } else if (kind == TIME) {
        // The 16 digits of any time since September 2001.
        const digits = loadDigits(p);
        if (findNonDigits(digits) == 0 && <i32>load<u8>(p + 16) == separator) {
          const value = sixteenDigits(digits);
          if (value <= MAX_TIME) {
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
        const end = findCellEnd(p);
        // A CR before the last LF belongs to the line end.
        const isUsual = end > p && <i32>load<u8>(end) == separator && (c < last || load<u8>(end - 1) != CR);
        if (isUsual) {
          const text = parseText(column, c, p, <i32>(end - p));
          if (text != TAKEN) return stopAt(c, p, text == UNPROVEN ? CELL : NO_ROOM);
          p = end + 1;
          setEnd(c, p);
          continue;
        }
      }
      if (<i32>load<u8>(p) != separator || column.required) return stopAt(c, p, CELL);
      if (!putNull(column, row)) return stopAt(c, p, NO_ROOM);
      limitShared(c);
      p++;
      setEnd(c, p);
    }
    endRow();
    c = 0;
  }
  cellColumn = 0;
  return DONE;
}

// Appends single cells to columns: texts, and cells that were parsed outside.

/** Results of appending a text: stored; */
export const TAKEN: i32 = 0;
/** not ASCII, so it must be checked outside for valid UTF-8; */
const UNPROVEN: i32 = 1;
/** the memory is full. */
const UNSTORED: i32 = 2;

/** Appends an empty cell to the current row; false if the memory is full. */
export function appendNull(column: i32): bool {
  limitShared(column);
  return putNull(columnAt(column), rowCount);
}

/** Appends a number, time or boolean to the current row, with its text. */
export function appendValue(column: i32, value: f64, p: usize, length: i32): bool {
  const record = columnAt(column);
  if (record.kind == BOOLEAN) store<u8>(record.lane + rowCount, <u8>value);
  else store<f64>(record.lane + (<usize>rowCount << 3), value);
  if (record.text == null) return true;
  const isShort = !record.hasAllText && longDecimal(p + <usize>(load<u8>(p) == MINUS)) == p + length && isExact;
  return keepNumberText(record, column, p, length, !isShort);
}

/** Keeps the text of a number in the current row, if it is requested; false if the memory is full. */
// @ts-ignore: decorator
@inline
function keepNumberText(record: Column, column: i32, p: usize, length: i32, isLong: bool): bool {
  const text = record.text;
  if (text == null) return true;
  if (!record.hasAllText) {
    if (!isLong) return true;
    limitShared(column);
    padTexts(text, rowCount);
  }
  return append(text, p, length);
}

/** Appends a text that is valid UTF-8 to the current row. */
export function appendText(column: i32, p: usize, length: i32): bool {
  const record = columnAt(column);
  if (record.kind == TEXT && !ensureRoom(record, column, p, length)) return false;
  if (record.kind == PLAIN) return append(record.text as Texts, p, length);
  const dictionary = record.dictionary as Dictionary;
  let index = find(dictionary, p, length);
  if (index == UNKNOWN) index = add(dictionary, p, length);
  store<i32>(record.lane + (<usize>rowCount << 2), index);
  return index >= 0;
}

/**
 * Ensures room for a text in the dictionary, or turns the column to plain text; false if the memory is full.
 */
function ensureRoom(record: Column, column: i32, p: usize, length: i32): bool {
  const dictionary = record.dictionary as Dictionary;
  if (!isCrowded(dictionary) || find(dictionary, p, length) != UNKNOWN) return true;
  if (2 * dictionary.texts.count <= rowCount) return growDictionary(dictionary);
  limitLeading(column);
  return convertToPlain(record, rowCount);
}

/** Appends a text to the current row if it is ASCII. */
// @ts-ignore: decorator
@inline
export function parseText(record: Column, column: i32, p: usize, length: i32): i32 {
  if (record.kind == TEXT) {
    const dictionary = record.dictionary as Dictionary;
    let index = find(dictionary, p, length);
    if (index == UNKNOWN) {
      if (!isAscii(p, length)) return UNPROVEN;
      if (isCrowded(dictionary)) return appendText(column, p, length) ? TAKEN : UNSTORED;
      index = add(dictionary, p, length);
      if (index < 0) return UNSTORED;
    }
    store<i32>(record.lane + (<usize>rowCount << 2), index);
    return TAKEN;
  }
  if (!isAscii(p, length)) return UNPROVEN;
  return append(record.text as Texts, p, length) ? TAKEN : UNSTORED;
}

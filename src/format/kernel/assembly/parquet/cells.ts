// Appends single cells to columns: texts, and cells that were parsed outside.
import { MINUS } from '../bytes';
import { BOOLEAN, Column, columnAt, PLAIN, putNull, rowCount, TEXT, convertToPlain } from './columns';
import { isExact, longDecimal } from './decimal';
import { add, Dictionary, find, growDictionary, isCrowded, UNKNOWN } from './dictionary';
import { limitLeading, limitShared } from './sharing';
import { append, isAscii, padTexts, Texts } from './texts';

/** Results of appending a text: stored; */
export const TAKEN: i32 = 0;
/** not ASCII, so it must be checked outside for valid UTF-8; */
export const UNPROVEN: i32 = 1;
/** the memory is full. */
export const UNSTORED: i32 = 2;

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
export function keepNumberText(record: Column, column: i32, p: usize, length: i32, isLong: bool): bool {
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

// Cells to columns, one by one: texts, and what was judged outside.
import { BOOLEAN, Column, columnAt, PLAIN, putNull, rowCount, TEXT, turnPlain } from './columns';
import { add, Dictionary, find, growDictionary, isCrowded, UNKNOWN } from './dictionary';
import { leadUpTo, shareUpTo } from './sharing';
import { append, isAscii, Texts } from './texts';

/** What became of a text: */
export const TAKEN: i32 = 0;
/** it is not ASCII, so that it must be proven outside to be UTF-8; */
export const UNPROVEN: i32 = 1;
/** the memory is full. */
export const UNSTORED: i32 = 2;

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
  leadUpTo(column);
  return turnPlain(record, rowCount);
}

/** Takes a text of the present row, where it is ASCII. */
// @ts-ignore: decorator
@inline
export function parseText(record: Column, column: i32, p: usize, length: i32): i32 {
  if (record.kind == TEXT) {
    const dictionary = record.dictionary as Dictionary;
    let index = find(dictionary, p, length);
    if (index == UNKNOWN) {
      if (!isAscii(p, length)) return UNPROVEN;
      if (isCrowded(dictionary)) return takeText(column, p, length) ? TAKEN : UNSTORED;
      index = add(dictionary, p, length);
      if (index < 0) return UNSTORED;
    }
    store<i32>(record.lane + (<usize>rowCount << 2), index);
    return TAKEN;
  }
  if (!isAscii(p, length)) return UNPROVEN;
  return append(record.text as Texts, p, length) ? TAKEN : UNSTORED;
}

// CSV rows to NDJSON lines, straight from text to text, 16 bytes at a time. It takes what is written as usual, and
// judges nothing: at any other cell it stops, and whoever called it goes on behind that cell.
//
// What the caller sees to: the text is whole rows, each ending in LF, without a quote; 64 bytes behind it may be read.
// Nothing is written at or behind `limit`.
import { COMMA, copy, CR_LF, LF, sharedLength } from '../bytes';
import { longDecimal, shortDecimal } from './decimals';
import { booleanLength, plainLength, quote, textLength } from './texts';
import { forgetDates, ISO_LENGTH, isUsualTime, writeIso } from './times';

/** All rows are lines now. */
export const DONE: i32 = 0;
/** The cell at `position`, of column `column`, is not written as usual. */
export const ODD: i32 = 1;
/** The row, or what is left of it, might pass the limit. */
export const NO_ROOM: i32 = 2;
/** Before a row: there were as many rows, or as many bytes, as there may be. */
export const FULL: i32 = 3;

/** Where the last call of `format` stopped: in the text, in the row, in the output, and how many rows it ended. */
export let position: usize = 0;
export let column: i32 = 0;
export let written: usize = 0;
export let rows: i32 = 0;

/** How a column's cells are written. */
const TIME: i32 = 0;
const NUMBER: i32 = 1;
const BOOLEAN: i32 = 2;
const TEXT: i32 = 3;
const ISO_TIME: i32 = 4;
const QUOTED_NUMBER: i32 = 5;

/** A column's record: its kind, where its key is, how long that is, and whether its cells may be empty. */
const RECORD: usize = 16;
const KEY: usize = 4;
const KEY_LENGTH: usize = 8;
const NULLABLE: usize = 12;

/** Of the leading columns, up to 256: where the cells, and their lines' parts, end, counted from the row's start. */
const ENDS: usize = 1024;
const OUT_ENDS: usize = 2048;

let records: usize = 0;
let count: i32 = 0;
let leading: i32 = 0;
let fixed: usize = 0;

/**
 * `fixedRoom`: what a line takes at most besides its row's text, and what is written past a cell's end;
 * `leadingColumns`: how many come before the first number, for rows that begin alike.
 */
export function setup(recordsAt: usize, columns: i32, leadingColumns: i32, fixedRoom: usize): void {
  records = recordsAt;
  count = columns;
  leading = leadingColumns;
  fixed = fixedRoom;
  forgetDates();
}

/**
 * Writes the text from `from` to `to`, from column `begin` of its first row on, as lines from `out` on; at most `most`
 * rows, and no row once the output has come to `full`. Tells why it stopped.
 */
export function format(
  from: usize,
  to: usize,
  begin: i32,
  out: usize,
  limit: usize,
  full: usize,
  most: i32,
): i32 {
  let p = from;
  let o = out;
  let c = begin;
  const n = count;
  let ended: i32 = 0;
  let status = DONE;
  /** The row before, and its line: none yet whose start is known. */
  let before: usize = 0;
  let outBefore: usize = 0;
  let shared: i32 = 0;
  while (p < to) {
    if (c == 0 && (ended == most || o >= full)) {
      status = FULL;
      break;
    }
    if (o + fixed + (to - p) > limit) {
      status = NO_ROOM;
      break;
    }
    const rowStart = p;
    const outStart = o;
    const isWhole = c == 0;
    if (shared > 0) {
      const same = sharedLength(before, p, load<i32>(ENDS + ((shared - 1) << 2)));
      while (c < shared && load<i32>(ENDS + (c << 2)) <= same) c++;
      if (c > 0) {
        const length = load<i32>(OUT_ENDS + ((c - 1) << 2));
        copy(o, outBefore, length);
        p += load<i32>(ENDS + ((c - 1) << 2));
        o += length;
      }
    }
    // From the middle of a row on, nobody knows where the row began.
    shared = isWhole ? leading : 0;
    before = rowStart;
    outBefore = outStart;
    let record = records + <usize>c * RECORD;
    for (; c < n; c++, record += RECORD) {
      const isLast = c == n - 1;
      const separator = isLast ? LF : COMMA;
      const kind = load<i32>(record);
      const keyLength = load<i32>(record, KEY_LENGTH);
      const value = o + keyLength;
      copy(o, <usize>load<u32>(record, KEY), keyLength);
      const text = v128.load(p);
      /** Of the cell, and of what is written for it. */
      let length: i32 = 0;
      let size: i32 = 0;
      if (kind == NUMBER || kind == QUOTED_NUMBER) {
        length = shortDecimal(p, text);
        if (length == 0 || <i32>load<u8>(p + length) != separator) length = longDecimal(p);
        if (kind == NUMBER) {
          copy(value, p, length);
          size = length;
        } else {
          copy(value + 1, p, length);
          size = quote(value, length);
        }
      } else if (kind == TEXT) {
        length = plainLength(p, text);
        if (length < 0) length = textLength(p);
        copy(value + 1, p, length);
        size = quote(value, length);
      } else if (kind == BOOLEAN) {
        length = booleanLength(p);
        v128.store(value, text);
        size = length;
      } else if (isUsualTime(p, text)) {
        length = 16;
        if (kind == TIME) v128.store(value, text);
        else writeIso(value, p, c & 1);
        size = kind == TIME ? 16 : ISO_LENGTH;
      }
      let gap = 1;
      if (<i32>load<u8>(p + length) != separator) {
        if (!isLast || load<u16>(p + length) != CR_LF) {
          status = ODD;
          break;
        }
        gap = 2;
      }
      if (length == 0) {
        if (load<i32>(record, NULLABLE) == 0) {
          status = ODD;
          break;
        }
        store<u32>(value, 0x6c6c756e);
        size = 4;
      }
      p += length + gap;
      o = value + size;
      if (c < leading) {
        store<i32>(ENDS + (c << 2), <i32>(p - rowStart));
        store<i32>(OUT_ENDS + (c << 2), <i32>(o - outStart));
      }
    }
    if (status == ODD) break;
    store<u16>(o, 0x0a7d);
    o += 2;
    c = 0;
    ended++;
  }
  position = p;
  column = c;
  written = o;
  rows = ended;
  return status;
}

// Formats CSV rows as NDJSON lines, directly from text to text, 16 bytes at a time. It handles cells in their
// usual form and reports no errors: at any other cell it stops, and the caller continues after that cell.
//
// The caller ensures that the text consists of complete rows, each ending in LF, without quotes, and that 64
// bytes after it may be read. Nothing is written at or after `limit`.
import { COMMA, CR_LF, LF, copy, sharedLength } from './bytes';
import { ISO_LENGTH, booleanLength, clearDates, isUsualTime, longDecimal, plainLength, quote, shortDecimal, textLength, writeIso } from './cells';

/** All rows have been formatted. */
export const DONE: i32 = 0;
/** The cell at `position`, of column `column`, has an unusual form. */
export const UNUSUAL: i32 = 1;
/** The rest of the row might not fit within the limit. */
export const NO_ROOM: i32 = 2;

/**
 * Where the last call of `format` stopped: address in the text, column, address in the output, completed
 * rows.
 */
export let position: usize = 0;
export let column: i32 = 0;
export let written: usize = 0;
export let rows: i32 = 0;

/** Kinds of cells. */
const TIME: i32 = 0;
const NUMBER: i32 = 1;
const BOOLEAN: i32 = 2;
const TEXT: i32 = 3;
const ISO_TIME: i32 = 4;
const QUOTED_NUMBER: i32 = 5;

/** Layout of a column record: kind, address of the key, its length, and whether cells may be empty. */
const RECORD: usize = 16;
const KEY: usize = 4;
const KEY_LENGTH: usize = 8;
const NULLABLE: usize = 12;

/**
 * For up to 256 leading columns: ends of the cells in the row, and of their output in the line, from the
 * start.
 */
const ENDS: usize = 1024;
const OUT_ENDS: usize = 2048;

let records: usize = 0;
let count: i32 = 0;
let leading: i32 = 0;
let lineRoom: usize = 0;

/**
 * @param fixedRoom maximum size of a line without the text of its row, plus the slack after a cell.
 * @param leadingColumns columns before the first number, which are often equal to those of the previous row.
 */
export function setup(recordsAt: usize, columns: i32, leadingColumns: i32, fixedRoom: usize): void {
  records = recordsAt;
  count = columns;
  leading = leadingColumns;
  lineRoom = fixedRoom;
  clearDates();
}

/**
 * Formats the text from `from` to `to`, which begins at column `begin` of its first row, as lines at `out`. Returns why it
 * stopped.
 */
export function format(from: usize, to: usize, begin: i32, out: usize, limit: usize): i32 {
  let p = from;
  let o = out;
  let c = begin;
  const n = count;
  let rowsDone: i32 = 0;
  let status = DONE;
  /** The previous row and its line; unset if the row's start is unknown. */
  let previousRow: usize = 0;
  let previousOut: usize = 0;
  let shared: i32 = 0;
  while (p < to) {
    if (o + lineRoom + (to - p) > limit) {
      status = NO_ROOM;
      break;
    }
    const rowStart = p;
    const outStart = o;
    const isRowStart = c == 0;
    if (shared > 0) {
      const equalBytes = sharedLength(previousRow, p, load<i32>(ENDS + ((shared - 1) << 2)));
      while (c < shared && load<i32>(ENDS + (c << 2)) <= equalBytes) c++;
      if (c > 0) {
        const length = load<i32>(OUT_ENDS + ((c - 1) << 2));
        copy(o, previousOut, length);
        p += load<i32>(ENDS + ((c - 1) << 2));
        o += length;
      }
    }
    // If the text began in the middle of a row, the start of the row is unknown.
    shared = isRowStart ? leading : 0;
    previousRow = rowStart;
    previousOut = outStart;
    let record = records + <usize>c * RECORD;
    for (; c < n; c++, record += RECORD) {
      const isLast = c == n - 1;
      const separator = isLast ? LF : COMMA;
      const kind = load<i32>(record);
      const keyLength = load<i32>(record, KEY_LENGTH);
      const value = o + keyLength;
      copy(o, <usize>load<u32>(record, KEY), keyLength);
      const text = v128.load(p);
      /** Length of the cell, and of its output. */
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
          status = UNUSUAL;
          break;
        }
        gap = 2;
      }
      if (length == 0) {
        if (load<i32>(record, NULLABLE) == 0) {
          status = UNUSUAL;
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
    if (status == UNUSUAL) break;
    store<u16>(o, 0x0a7d);
    o += 2;
    c = 0;
    rowsDone++;
  }
  position = p;
  column = c;
  written = o;
  rows = rowsDone;
  return status;
}

// Messages that are one row each.
import { COMMA, copy, endOfCell, LF, QUOTE } from '../../../format/kernel/assembly/bytes';
import { isUsualTime } from '../../../format/kernel/assembly/ndjson/times';
import { forgetRows, putHead, timesOf, usualTextLength, valueOf } from './leading';
import { shortestLength, writeNumber } from './numbers';
import {
  addLine,
  begin,
  DONE,
  fixed,
  limit,
  NO_ROOM,
  ODD,
  out,
  periodEnd,
  periodStart,
  putTail,
  putTime,
  stop,
} from './output';
import { count, isForeignRow } from './tally';

/** How a column's cells are written. */
const NUMBER: i32 = 0;
const TEXT: i32 = 1;
const TIME: i32 = 2;

/** Of each of a row's own columns: where its cell is, and how long; less than 0 for a number that is not copied. */
const CELLS: usize = 1024;
const CELL: usize = 8;
const LENGTH: usize = 4;

/** A part of a line: its column, where its key is and how long that is, the same of what stands for an empty cell. */
const PART: usize = 24;
const PART_KIND: usize = 4;
const KEY: usize = 8;
const KEY_LENGTH: usize = 12;
const MISSING: usize = 16;
const MISSING_LENGTH: usize = 20;

let kinds: usize = 0;
let columnCount: i32 = 0;
let parts: usize = 0;
let partCount: i32 = 0;

/** A row's own columns, by their kinds, and the parts of a line between head and times. */
export function setColumns(kindsAt: usize, columns: i32, partsAt: usize, count: i32): void {
  kinds = kindsAt;
  columnCount = columns;
  parts = partsAt;
  partCount = count;
}

/** Where the row ends whose own cells begin at `from`; 0 where one is not written as usual. Notes the cells. */
// @ts-ignore: decorator
@inline
function takeCells(from: usize): usize {
  let p = from;
  const last = columnCount - 1;
  for (let c = 0; c <= last; c++) {
    const kind = load<i32>(kinds + (<usize>c << 2));
    const separator = c == last ? LF : COMMA;
    const text = v128.load(p);
    let length: i32 = 0;
    let noted: i32 = 0;
    if (kind == NUMBER) {
      length = shortestLength(p, text);
      noted = length;
      if (<i32>load<u8>(p + length) != separator) {
        length = <i32>(endOfCell(p) - p);
        noted = -length;
      }
    } else {
      length = kind == TEXT ? usualTextLength(p, text) : isUsualTime(p, text) ? 16 : 0;
      noted = length;
    }
    const cell = CELLS + <usize>c * CELL;
    store<u32>(cell, <u32>p);
    store<i32>(cell, noted, LENGTH);
    p += length;
    if (<i32>load<u8>(p) != separator) return 0;
    p++;
  }
  return p;
}

/** Writes the parts of the row whose cells were noted; returns the position behind them, 0 for what is no number. */
// @ts-ignore: decorator
@inline
function putParts(to: usize): usize {
  let o = to;
  let part = parts;
  for (let i = 0; i < partCount; i++, part += PART) {
    const cell = CELLS + <usize>load<i32>(part) * CELL;
    const p = <usize>load<u32>(cell);
    const length = load<i32>(cell, LENGTH);
    if (length == 0) {
      const missing = load<i32>(part, MISSING_LENGTH);
      copy(o, <usize>load<u32>(part, MISSING), missing);
      o += missing;
      continue;
    }
    const keyLength = load<i32>(part, KEY_LENGTH);
    copy(o, <usize>load<u32>(part, KEY), keyLength);
    o += keyLength;
    const kind = load<i32>(part, PART_KIND);
    if (kind == NUMBER) {
      let size = length;
      if (length > 0) v128.store(o, v128.load(p));
      else size = writeNumber(p, -length, o);
      if (size == 0) return 0;
      o += size;
      continue;
    }
    if (kind == TEXT) {
      copy(o, p, length);
      o += length;
    } else {
      o = putTime(o, p, false, 2);
    }
    store<u8>(o, QUOTE);
    o++;
  }
  return o;
}

/** Makes lines of the rows from `from` up to `to` that lie in the period. Tells why it stopped. */
export function makeRows(from: usize, to: usize, endsFrom: i32): i32 {
  begin(endsFrom);
  forgetRows();
  let p = from;
  let o = out;
  let ended = 0;
  while (p < to) {
    const times = timesOf(p);
    if (times == 0) return stop(ODD, p, ended, o);
    const end = takeCells(times + 34);
    if (end == 0) return stop(ODD, p, ended, o);
    if (o + fixed + (end - p) > limit) return stop(NO_ROOM, p, ended, o);
    const behindParts = putParts(putHead(o, p));
    if (behindParts == 0) return stop(ODD, p, ended, o);
    const localTimestamp = valueOf(times + 17);
    count(localTimestamp, 1, isForeignRow);
    // What lies outside is written too, as only that tells whether all of it is right, and then written over.
    if (localTimestamp >= periodStart && localTimestamp < periodEnd) {
      o = putTail(behindParts, times, times + 17);
      addLine(o, localTimestamp);
    }
    ended++;
    p = end;
  }
  return stop(DONE, p, ended, o);
}

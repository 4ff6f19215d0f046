// The leading columns of every row: exchange, symbol, timestamp, local_timestamp.
import { COMMA, LF, QUOTE, copy, findCellEnd, loadDigits, sharedLength, sixteenDigits } from '../../../format/assembly/bytes';
import { isUsualTime, plainLength, textLength } from '../../../format/assembly/cells';
import { BEGIN, DONE, EXCHANGE, NO_ROOM, OWN, UNUSUAL, addLine, begin, fixed, limit, out, periodEnd, periodStart, put, putTail, putTime, shortestLength, stop, writeNumber } from './output';
import { count, isForeignRow, setSymbol } from './tally';

/**
 * The last row whose exchange or symbol differed from the previous one, and the lengths, the second with
 * commas.
 */
let known: usize = 0;
let exchangeLength: i32 = 0;
let ownerLength: i32 = 0;

/** Clears the previous row before a new text. */
export function clearPreviousRow(): void {
  ownerLength = 0;
}

/**
 * Length of the text at `p`, up to its cell's end, if it needs no escapes; 0 otherwise and if it is empty.
 */
// @ts-ignore: decorator
@inline
function usualTextLength(p: usize, text: v128): i32 {
  const length = plainLength(p, text);
  return length < 0 ? textLength(p) : length;
}

function measureOwner(p: usize): void {
  ownerLength = 0;
  known = p;
  exchangeLength = usualTextLength(p, v128.load(p));
  const symbol = p + exchangeLength + 1;
  if (exchangeLength == 0 || <i32>load<u8>(symbol - 1) != COMMA) return;
  const symbolLength = usualTextLength(symbol, v128.load(symbol));
  if (symbolLength == 0 || <i32>load<u8>(symbol + symbolLength) != COMMA) return;
  ownerLength = exchangeLength + symbolLength + 2;
  setSymbol(symbol, symbolLength);
}

/**
 * Address of the times of the row at `p`, 17 bytes each with their commas; 0 if one of the leading cells has
 * an unusual form.
 */
// @ts-ignore: decorator
@inline
export function findTimes(p: usize): usize {
  if (ownerLength == 0 || sharedLength(known, p, ownerLength) < ownerLength) measureOwner(p);
  const times = p + ownerLength;
  const areUsual =
    ownerLength > 0 &&
    isUsualTime(times, v128.load(times)) &&
    <i32>load<u8>(times, 16) == COMMA &&
    isUsualTime(times + 17, v128.load(times, 17)) &&
    <i32>load<u8>(times, 33) == COMMA;
  return areUsual ? times : 0;
}

/** Writes the start of a line for the row of the last `findTimes`; returns the position after it. */
// @ts-ignore: decorator
@inline
export function putHead(to: usize, p: usize): usize {
  const symbolLength = ownerLength - exchangeLength - 2;
  let o = put(to, BEGIN);
  copy(o, p + exchangeLength + 1, symbolLength);
  o = put(o + symbolLength, EXCHANGE);
  copy(o, p, exchangeLength);
  return put(o + exchangeLength, OWN);
}

/** The time at `p` in microseconds. */
// @ts-ignore: decorator
@inline
export function parseTime(p: usize): f64 {
  return <f64>sixteenDigits(loadDigits(p));
}

// Messages of one row each.

/** Kinds of cells. */
const NUMBER: i32 = 0;
const TEXT: i32 = 1;
const TIME: i32 = 2;

/**
 * For each column after the leading ones, address and length of its cell; negative for a number that is not
 * copied.
 */
const CELLS: usize = 1024;
const CELL: usize = 8;
const LENGTH: usize = 4;

/**
 * A part of a line: its column, address and length of its key, and the same of the text for an empty cell.
 */
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

/** Sets the kinds of the columns after the leading ones, and the parts of a line between head and times. */
export function setColumns(kindsAt: usize, columns: i32, partsAt: usize, count: i32): void {
  kinds = kindsAt;
  columnCount = columns;
  parts = partsAt;
  partCount = count;
}

/** Records the cells of a row from `from` on; returns the row's end, or 0 if a cell has an unusual form. */
// @ts-ignore: decorator
@inline
function recordCells(from: usize): usize {
  let p = from;
  const last = columnCount - 1;
  for (let c = 0; c <= last; c++) {
    const kind = load<i32>(kinds + (<usize>c << 2));
    const separator = c == last ? LF : COMMA;
    const text = v128.load(p);
    let length: i32 = 0;
    let storedLength: i32 = 0;
    if (kind == NUMBER) {
      length = shortestLength(p, text);
      storedLength = length;
      if (<i32>load<u8>(p + length) != separator) {
        length = <i32>(findCellEnd(p) - p);
        storedLength = -length;
      }
    } else {
      length = kind == TEXT ? usualTextLength(p, text) : isUsualTime(p, text) ? 16 : 0;
      storedLength = length;
    }
    const cell = CELLS + <usize>c * CELL;
    store<u32>(cell, <u32>p);
    store<i32>(cell, storedLength, LENGTH);
    p += length;
    if (<i32>load<u8>(p) != separator) return 0;
    p++;
  }
  return p;
}

/** Writes the parts of the row; returns the position after them, or 0 if a cell is not a number. */
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

/** Formats the rows in the period, from `from` up to `to`. Returns why it stopped. */
export function formatRows(from: usize, to: usize, endsFrom: i32): i32 {
  begin(endsFrom);
  clearPreviousRow();
  let p = from;
  let o = out;
  let rowsDone = 0;
  while (p < to) {
    const times = findTimes(p);
    if (times == 0) return stop(UNUSUAL, p, rowsDone, o);
    const end = recordCells(times + 34);
    if (end == 0) return stop(UNUSUAL, p, rowsDone, o);
    if (o + fixed + (end - p) > limit) return stop(NO_ROOM, p, rowsDone, o);
    const partsEnd = putParts(putHead(o, p));
    if (partsEnd == 0) return stop(UNUSUAL, p, rowsDone, o);
    const localTimestamp = parseTime(times + 17);
    count(localTimestamp, 1, isForeignRow);
    // Rows outside are formatted, too, since that finds errors in them; the next row overwrites them.
    if (localTimestamp >= periodStart && localTimestamp < periodEnd) {
      o = putTail(partsEnd, times, times + 17);
      addLine(o, localTimestamp);
    }
    rowsDone++;
    p = end;
  }
  return stop(DONE, p, rowsDone, o);
}

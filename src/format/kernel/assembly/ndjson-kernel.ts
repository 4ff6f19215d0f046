// CSV rows to NDJSON lines, straight from text to text, 16 bytes at a time. It takes what is written as usual, and
// judges nothing: at any other cell it stops, and whoever called it goes on behind that cell.
//
// What the caller sees to: the text is whole rows, each ending in LF, without a quote; 64 bytes behind it may be read.
// Nothing is written at or behind `limit`.

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

const LF: i32 = 10;
const QUOTE: i32 = 34;
const COMMA: i32 = 44;
const MINUS: i32 = 45;
const POINT: i32 = 46;
const ZERO: i32 = 48;
const BACKSLASH: i32 = 92;
const CR_LF: u16 = 0x0a0d;

/** Of the leading columns, up to 256: where the cells, and their lines' parts, end, counted from the row's start. */
const ENDS: usize = 1024;
const OUT_ENDS: usize = 2048;
/** The date of the last ISO time, `2024-03-01T`. */
const DATE: usize = 3072;

let records: usize = 0;
let count: i32 = 0;
let leading: i32 = 0;
let fixed: usize = 0;
let day: u32 = u32.MAX_VALUE;

/**
 * `fixedRoom`: what a line takes at most besides its row's text, and what is written past a cell's end;
 * `leadingColumns`: how many come before the first number, for rows that begin alike.
 */
export function setup(recordsAt: usize, columns: i32, leadingColumns: i32, fixedRoom: usize): void {
  records = recordsAt;
  count = columns;
  leading = leadingColumns;
  fixed = fixedRoom;
  day = u32.MAX_VALUE;
}

// @ts-ignore: decorator
@inline
function copy(to: usize, from: usize, length: i32): void {
  v128.store(to, v128.load(from));
  for (let i: i32 = 16; i < length; i += 16) v128.store(to + i, v128.load(from + i));
}

/** Which of 16 bytes are no digits; `t` is the text less 48. */
// @ts-ignore: decorator
@inline
function nonDigits(t: v128): i32 {
  return i8x16.bitmask(i8x16.gt_u(t, i8x16.splat(9)));
}

/** How many bytes are the same at `a` and `b`: up to `most`, or some more. */
// @ts-ignore: decorator
@inline
function sharedLength(a: usize, b: usize, most: i32): i32 {
  for (let same: i32 = 0; same < most; same += 16) {
    const differ = i8x16.bitmask(i8x16.ne(v128.load(a + same), v128.load(b + same)));
    if (differ) return same + ctz(differ);
  }
  return most;
}

/** Whether the decimal of these digits begins with a zero that JSON doesn't take. */
// @ts-ignore: decorator
@inline
function hasLeadingZero(first: usize, digits: i32): bool {
  return digits > 1 && <i32>load<u8>(first) == ZERO;
}

/** The length of a decimal of up to 16 bytes; 0 where there is none that is written as usual. */
// @ts-ignore: decorator
@inline
function shortDecimal(p: usize, text: v128): i32 {
  const negative = <i32>(<i32>load<u8>(p) == MINUS);
  const stops = nonDigits(i8x16.sub(text, i8x16.splat(48))) & ~negative;
  const point = ctz(stops | 0x10000);
  let end = point;
  if (<i32>load<u8>(p + point) == POINT) {
    end = ctz((stops & (stops - 1)) | 0x10000);
    if (end == point + 1) return 0;
  }
  return point == negative || hasLeadingZero(p + negative, point - negative) ? 0 : end;
}

// @ts-ignore: decorator
@inline
function isDigit(byte: i32): bool {
  return <u32>(byte - ZERO) <= 9;
}

function digitsEnd(p: usize): usize {
  while (isDigit(load<u8>(p))) p++;
  return p;
}

/** As `shortDecimal`, for up to 64 bytes, with an exponent of up to two digits: far from a double's bounds. */
function longDecimal(p: usize): i32 {
  const first = p + <usize>(<i32>load<u8>(p) == MINUS);
  let q = digitsEnd(first);
  if (q == first || hasLeadingZero(first, <i32>(q - first))) return 0;
  if (<i32>load<u8>(q) == POINT) {
    const fraction = q + 1;
    q = digitsEnd(fraction);
    if (q == fraction) return 0;
  }
  if ((<i32>load<u8>(q) | 32) == 101) {
    const sign = <i32>load<u8>(q + 1);
    const exponent = q + 1 + <usize>(sign == MINUS || sign == 43);
    q = digitsEnd(exponent);
    if (q == exponent || q > exponent + 2) return 0;
  }
  return q - p <= 64 ? <i32>(q - p) : 0;
}

// @ts-ignore: decorator
@inline
function twoDigits(to: usize, value: u32): void {
  store<u16>(to, <u16>(12336 + value / 10 + ((value % 10) << 8)));
}

/** Keeps a day's date; days since 1970 to a date as in H. Hinnant, "chrono-compatible low-level date algorithms". */
function setDate(since1970: u32): void {
  day = since1970;
  const shifted = since1970 + 719468;
  const era = shifted / 146097;
  const dayOfEra = shifted - era * 146097;
  const yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const shiftedMonth = (5 * dayOfYear + 2) / 153;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + era * 400 + <u32>(month <= 2);
  twoDigits(DATE, year / 100);
  twoDigits(DATE + 2, year % 100);
  store<u8>(DATE + 4, MINUS);
  twoDigits(DATE + 5, month);
  store<u8>(DATE + 7, MINUS);
  twoDigits(DATE + 8, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1);
  store<u8>(DATE + 10, 84);
}

/** Writes the 16 digits at `p`, microseconds since 1970, as `"2024-03-01T00:00:00.123456Z"`. */
function writeIso(to: usize, p: usize): void {
  let seconds: u64 = 0;
  for (let i: usize = 0; i < 10; i++) seconds = seconds * 10 + <u64>(load<u8>(p + i) - 48);
  const ofDay = <u32>(seconds % 86400);
  const days = <u32>(seconds / 86400);
  if (days != day) setDate(days);
  store<u8>(to, QUOTE);
  v128.store(to + 1, v128.load(DATE));
  twoDigits(to + 12, ofDay / 3600);
  store<u8>(to + 14, 58);
  twoDigits(to + 15, (ofDay / 60) % 60);
  store<u8>(to + 17, 58);
  twoDigits(to + 18, ofDay % 60);
  store<u8>(to + 20, POINT);
  store<u64>(to + 21, load<u64>(p, 10));
  store<u16>(to + 27, 0x225a);
}

const ISO_LENGTH: i32 = 29;

/** The 16 digits of any time from September 2001 on; those that begin with a 9 might be past the range. */
// @ts-ignore: decorator
@inline
function isUsualTime(p: usize, text: v128): bool {
  return nonDigits(i8x16.sub(text, i8x16.splat(48))) == 0 && <u32>load<u8>(p) - 49 < 8;
}

/** The length of `true` or `false` at `p`, 0 for neither. */
// @ts-ignore: decorator
@inline
function booleanLength(p: usize): i32 {
  const word = load<u32>(p);
  if (word == 0x65757274) return 4;
  return word == 0x736c6166 && <i32>load<u8>(p, 4) == 101 ? 5 : 0;
}

/** Puts quotes around what was written behind the first of them; returns the length with both. */
// @ts-ignore: decorator
@inline
function quote(to: usize, length: i32): i32 {
  store<u8>(to, QUOTE);
  store<u8>(to + 1 + length, QUOTE);
  return length + 2;
}

/**
 * Copies text up to its cell's end, in whole 16 bytes; returns its length, -1 for what has bytes that JSON has
 * escapes for, or that are not ASCII.
 */
// @ts-ignore: decorator
@inline
function copyText(to: usize, p: usize, first: v128): i32 {
  let text = first;
  let length: i32 = 0;
  for (;;) {
    const ends = i8x16.bitmask(
      v128.or(i8x16.eq(text, i8x16.splat(<i8>COMMA)), i8x16.eq(text, i8x16.splat(<i8>LF))),
    );
    const odd = i8x16.bitmask(
      v128.or(
        v128.or(i8x16.eq(text, i8x16.splat(<i8>BACKSLASH)), i8x16.eq(text, i8x16.splat(<i8>QUOTE))),
        // Bytes from 80 on are negative.
        i8x16.lt_s(text, i8x16.splat(32)),
      ),
    );
    v128.store(to + length, text);
    const end = ctz(ends | 0x10000);
    if (odd & ((1 << end) - 1)) return -1;
    length += end;
    if (ends) break;
    text = v128.load(p + length);
  }
  return length;
}

// @ts-ignore: decorator
@inline
function isBetween(byte: u8, least: u8, most: u8): bool {
  return byte >= least && byte <= most;
}

/** The length of the UTF-8 sequence that begins with no ASCII at `p` (Unicode, table 3-7); 0 where there is none. */
function sequenceLength(p: usize): i32 {
  const lead = load<u8>(p);
  const second = load<u8>(p, 1);
  if (isBetween(lead, 0xc2, 0xdf)) return isBetween(second, 0x80, 0xbf) ? 2 : 0;
  if (!isBetween(load<u8>(p, 2), 0x80, 0xbf)) return 0;
  if (isBetween(lead, 0xe0, 0xef)) {
    return isBetween(second, lead == 0xe0 ? 0xa0 : 0x80, lead == 0xed ? 0x9f : 0xbf) ? 3 : 0;
  }
  if (!isBetween(load<u8>(p, 3), 0x80, 0xbf) || !isBetween(lead, 0xf0, 0xf4)) return 0;
  return isBetween(second, lead == 0xf0 ? 0x90 : 0x80, lead == 0xf4 ? 0x8f : 0xbf) ? 4 : 0;
}

/** The length of UTF-8 text that needs no escapes; 0 for any other. A CR before the line's LF is none of it. */
function textLength(p: usize): i32 {
  let q = p;
  for (;;) {
    const byte = <i32>load<u8>(q);
    if (byte >= 128) {
      const length = sequenceLength(q);
      if (length == 0) return 0;
      q += length;
      continue;
    }
    if (byte == COMMA || byte == LF || load<u16>(q) == CR_LF) break;
    if (byte < 32 || byte == BACKSLASH || byte == QUOTE) return 0;
    q++;
  }
  return <i32>(q - p);
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
        length = copyText(value + 1, p, text);
        if (length < 0) {
          length = textLength(p);
          copy(value + 1, p, length);
        }
        size = quote(value, length);
      } else if (kind == BOOLEAN) {
        length = booleanLength(p);
        v128.store(value, text);
        size = length;
      } else if (isUsualTime(p, text)) {
        length = 16;
        if (kind == TIME) v128.store(value, text);
        else writeIso(value, p);
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

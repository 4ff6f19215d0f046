// Formats texts and booleans as JSON.
import { BACKSLASH, COMMA, CR_LF, LF, MINUS, POINT, QUOTE, ZERO, copy, findNonDigits, toDigits } from './bytes';

/** The length of `true` or `false` at `p`; 0 for anything else. */
// @ts-ignore: decorator
@inline
export function booleanLength(p: usize): i32 {
  const word = load<u32>(p);
  if (word == 0x65757274) return 4;
  return word == 0x736c6166 && <i32>load<u8>(p, 4) == 101 ? 5 : 0;
}

/** Adds quotes around the text that was written at `to + 1`; returns the length with both. */
// @ts-ignore: decorator
@inline
export function quote(to: usize, length: i32): i32 {
  store<u8>(to, QUOTE);
  store<u8>(to + 1 + length, QUOTE);
  return length + 2;
}

/** The length of the cell at `p`; -1 if it has bytes that are escaped in JSON, or that are not ASCII. */
// @ts-ignore: decorator
@inline
export function plainLength(p: usize, first: v128): i32 {
  let text = first;
  let length: i32 = 0;
  for (;;) {
    const ends = i8x16.bitmask(
      v128.or(i8x16.eq(text, i8x16.splat(<i8>COMMA)), i8x16.eq(text, i8x16.splat(<i8>LF))),
    );
    const special = i8x16.bitmask(
      v128.or(
        v128.or(i8x16.eq(text, i8x16.splat(<i8>BACKSLASH)), i8x16.eq(text, i8x16.splat(<i8>QUOTE))),
        // Bytes from 0x80 on are negative.
        i8x16.lt_s(text, i8x16.splat(32)),
      ),
    );
    const end = ctz(ends | 0x10000);
    if (special & ((1 << end) - 1)) return -1;
    length += end;
    if (ends) break;
    text = v128.load(p + length);
  }
  return length;
}

// @ts-ignore: decorator
@inline
function isBetween(byte: u8, low: u8, high: u8): bool {
  return byte >= low && byte <= high;
}

/** The length of the UTF-8 sequence at `p`, which is not ASCII (Unicode, table 3-7); 0 if it is invalid. */
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

/**
 * The length of UTF-8 text without escapes; 0 for any other. A CR before the line's LF does not belong to it.
 */
export function textLength(p: usize): i32 {
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

// Formats times of 16 digits, microseconds since 1970, as integers or as ISO 8601.

/**
 * The last second of each of four slots: its ten digits, at 16 `2024-03-01T12:34:56.`, and at 48 its day. The
 * time columns of a row differ by milliseconds: with a slot for each, a row rarely has another second than
 * the previous row.
 */
const SECONDS: usize = 3072;
const SECOND_TEXT: usize = 16;
const SECOND_DAY: usize = 48;
const SLOTS: usize = 4;

const COLON: u8 = 58;
const NO_DAY: u32 = u32.MAX_VALUE;

/** Clears the slots. */
export function clearDates(): void {
  for (let slot: usize = 0; slot < SLOTS; slot++) {
    store<u64>(SECONDS + (slot << 6), 0);
    store<u32>(SECONDS + (slot << 6), NO_DAY, SECOND_DAY);
  }
}

// @ts-ignore: decorator
@inline
function twoDigits(to: usize, value: u32): void {
  store<u16>(to, <u16>(12336 + value / 10 + ((value % 10) << 8)));
}

/** Writes `2024-03-01T`. Days to a date by H. Hinnant, "chrono-compatible low-level date algorithms". */
function writeDate(to: usize, since1970: u32): void {
  const shifted = since1970 + 719468;
  const era = shifted / 146097;
  const dayOfEra = shifted - era * 146097;
  const yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const shiftedMonth = (5 * dayOfYear + 2) / 153;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + era * 400 + <u32>(month <= 2);
  twoDigits(to, year / 100);
  twoDigits(to + 2, year % 100);
  store<u8>(to + 4, MINUS);
  twoDigits(to + 5, month);
  store<u8>(to + 7, MINUS);
  twoDigits(to + 8, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1);
  store<u8>(to + 10, 84);
}

function setSecond(slot: usize, p: usize): void {
  store<u64>(slot, load<u64>(p));
  store<u16>(slot + 8, load<u16>(p, 8));
  let seconds: u64 = 0;
  for (let i: usize = 0; i < 10; i++) seconds = seconds * 10 + <u64>(load<u8>(p + i) - 48);
  const secondOfDay = <u32>(seconds % 86400);
  const day = <u32>(seconds / 86400);
  const text = slot + SECOND_TEXT;
  if (day != load<u32>(slot, SECOND_DAY)) {
    store<u32>(slot, day, SECOND_DAY);
    writeDate(text, day);
  }
  twoDigits(text + 11, secondOfDay / 3600);
  store<u8>(text + 13, COLON);
  twoDigits(text + 14, (secondOfDay / 60) % 60);
  store<u8>(text + 16, COLON);
  twoDigits(text + 17, secondOfDay % 60);
  store<u8>(text + 19, POINT);
}

/**
 * Writes the 16 digits at `p`, microseconds since 1970, as `2024-03-01T00:00:00.123456`, with the cached
 * second.
 */
// @ts-ignore: decorator
@inline
export function writeMicros(to: usize, p: usize, slotIndex: i32): void {
  const slot = SECONDS + (<usize>slotIndex << 6);
  if (load<u64>(p) != load<u64>(slot) || load<u16>(p, 8) != load<u16>(slot, 8)) setSecond(slot, p);
  copy(to, slot + SECOND_TEXT, 20);
  store<u64>(to + 20, load<u64>(p, 10));
}

/** Like `writeMicros`, with quotes and `Z`. */
// @ts-ignore: decorator
@inline
export function writeIso(to: usize, p: usize, slot: i32): void {
  store<u8>(to, QUOTE);
  writeMicros(to + 1, p, slot);
  store<u16>(to + 27, 0x225a);
}

export const ISO_LENGTH: i32 = 29;

/**
 * Whether these are the 16 digits of a time after September 2001; times that begin with 9 may exceed the
 * range.
 */
// @ts-ignore: decorator
@inline
export function isUsualTime(p: usize, text: v128): bool {
  return findNonDigits(toDigits(text)) == 0 && <u32>load<u8>(p) - 49 < 8;
}

// Finds decimals that are valid JSON.

/** Whether a decimal with these integer digits has a leading zero, which JSON does not allow. */
// @ts-ignore: decorator
@inline
function hasLeadingZero(first: usize, digits: i32): bool {
  return digits > 1 && <i32>load<u8>(first) == ZERO;
}

/** The length of a decimal of up to 16 bytes; 0 if it has another form. */
// @ts-ignore: decorator
@inline
export function shortDecimal(p: usize, text: v128): i32 {
  const negative = <i32>(<i32>load<u8>(p) == MINUS);
  const stops = findNonDigits(toDigits(text)) & ~negative;
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

/**
 * Like `shortDecimal`, for up to 64 bytes, with an exponent of up to two digits, far inside the range of a
 * double.
 */
export function longDecimal(p: usize): i32 {
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

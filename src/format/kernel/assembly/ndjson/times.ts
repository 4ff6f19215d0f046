// Formats times of 16 digits, microseconds since 1970, as integers or as ISO 8601.
import { copy, MINUS, POINT, QUOTE } from '../bytes';
import { toDigits, findNonDigits } from '../digits';

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

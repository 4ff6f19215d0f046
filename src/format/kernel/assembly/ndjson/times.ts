// Times: 16 digits of microseconds since 1970, as they are or as ISO 8601.
import { MINUS, nonDigits, POINT, QUOTE } from './bytes';

/** The date of the last ISO time, `2024-03-01T`: where it lies, and its day. */
const DATE: usize = 3072;
let day: u32 = u32.MAX_VALUE;

/** The memory may hold no date now. */
export function forgetDate(): void {
  day = u32.MAX_VALUE;
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
export function writeIso(to: usize, p: usize): void {
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

export const ISO_LENGTH: i32 = 29;

/** The 16 digits of any time from September 2001 on; those that begin with a 9 might be past the range. */
// @ts-ignore: decorator
@inline
export function isUsualTime(p: usize, text: v128): bool {
  return nonDigits(i8x16.sub(text, i8x16.splat(48))) == 0 && <u32>load<u8>(p) - 49 < 8;
}

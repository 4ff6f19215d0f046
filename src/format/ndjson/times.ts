const MINUS = 45;
const COLON = 58;
const POINT = 46;
const LETTER_Z = 90;
const ZERO = 48;

const DAY = 86_400_000_000;

/** Room that a time takes at most, in bytes. */
export const LONGEST_TIME = 32;

/** The ASCII of 0000 to 9999, each as one little-endian word. */
const FOUR_DIGITS = Int32Array.from({ length: 10_000 }, (_, i) =>
  Buffer.from(String(i).padStart(4, '0')).readInt32LE(),
);

/** Writes integer microseconds in decimal; returns the position behind them. */
export function writeInteger(value: number, out: DataView, position: number): number {
  let at = position;
  let rest = value;
  if (rest < 0) {
    out.setUint8(at++, MINUS);
    rest = -rest;
  }
  if (rest < 1e15 || rest >= 1e16) return writeDigits(rest, countDigits(rest), out, at);
  const high = Math.floor(rest / 1e8);
  writeEight(high, out, at);
  writeEight(rest - high * 1e8, out, at + 8);
  return at + 16;
}

/**
 * Writes times as ISO 8601 with six decimals, `2024-03-01T00:00:00.123456Z`. Times of up to 2^53 - 1 in magnitude
 * lie in the years 1684 to 2255, so a year has four digits. Rows mostly share their day, so its text is kept.
 */
export class IsoTimes {
  #day = Number.NaN;
  /** The day and a T. */
  #date = '';

  /** Returns the position behind it. */
  write(time: number, out: DataView, position: number): number {
    const day = Math.floor(time / DAY);
    if (day !== this.#day) {
      this.#day = day;
      this.#date = new Date(day * 86_400_000).toISOString().slice(0, 11);
    }
    const date = this.#date;
    let at = position;
    for (let i = 0; i < date.length; i++) out.setUint8(at++, date.charCodeAt(i));
    const ofDay = time - day * DAY;
    const seconds = Math.floor(ofDay / 1_000_000);
    const micros = ofDay - seconds * 1_000_000;
    const minutes = (seconds / 60) | 0;
    writeTwo((minutes / 60) | 0, out, at);
    out.setUint8(at + 2, COLON);
    writeTwo(minutes % 60, out, at + 3);
    out.setUint8(at + 5, COLON);
    writeTwo(seconds % 60, out, at + 6);
    out.setUint8(at + 8, POINT);
    const high = (micros / 10_000) | 0;
    writeTwo(high, out, at + 9);
    out.setInt32(at + 11, FOUR_DIGITS[micros - high * 10_000] as number, true);
    out.setUint8(at + 15, LETTER_Z);
    return at + 16;
  }
}

function writeEight(value: number, out: DataView, at: number): void {
  const high = (value / 10_000) | 0;
  out.setInt32(at, FOUR_DIGITS[high] as number, true);
  out.setInt32(at + 4, FOUR_DIGITS[value - high * 10_000] as number, true);
}

function writeTwo(value: number, out: DataView, at: number): void {
  out.setInt16(at, (FOUR_DIGITS[value] as number) >> 16, true);
}

function countDigits(value: number): number {
  let digits = 1;
  for (let power = 10; power <= value; power *= 10) digits++;
  return digits;
}

function writeDigits(value: number, digits: number, out: DataView, at: number): number {
  let rest = value;
  for (let p = at + digits - 1; p >= at; p--) {
    const tenth = Math.floor(rest / 10);
    out.setUint8(p, ZERO + (rest - tenth * 10));
    rest = tenth;
  }
  return at + digits;
}

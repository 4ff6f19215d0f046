import { createFixedText, type FixedText } from './fixed-text.js';

const DAY_US = 86_400_000_000;
const SECOND_US = 1_000_000;
const COLON = 58;
const POINT = 46;
const LETTER_Z = 90;

/** The ASCII of 00 to 99, and of 000 to 999, each as one little-endian word. */
const TWO_DIGITS = Uint16Array.from({ length: 100 }, (_, i) => packAscii(i, 2));
const THREE_DIGITS = Int32Array.from({ length: 1000 }, (_, i) => packAscii(i, 3));

/** Bytes that a time takes at most, and the bytes that are written behind it. */
export const MAX_TIME_BYTES = 32;

/**
 * Whether `timestamp` has six decimals in lines (replay facts, section 8): where it isn't whole milliseconds, and where
 * it is the local one, as of an exchange that sends none.
 */
export function hasMicros(timestamp: number, localTimestamp: number): boolean {
  // The remainder of a double takes several times as long.
  return timestamp === localTimestamp || Math.floor(timestamp / 1000) * 1000 !== timestamp;
}

/**
 * Writes times as ISO 8601, `2024-03-01T00:00:00.123456Z` or `….123Z`. What times that follow each other have in
 * common is kept: one writer for each column. Times up to 2^53 - 1 lie in years of four digits.
 */
export class IsoTime {
  #day = Number.NaN;
  /** Where the second begins, in microseconds. */
  #second = Number.NaN;
  /** `2024-03-01T00:00:00.` */
  #begin: FixedText = createFixedText('2024-03-01T00:00:00.');

  /** @param time microseconds. Returns the position behind it. */
  write(time: number, micros: boolean, out: DataView, at: number): number {
    let rest = time - this.#second;
    if (!(rest >= 0 && rest < SECOND_US)) {
      this.#open(Math.floor(time / SECOND_US));
      rest = time - this.#second;
    }
    const { view } = this.#begin;
    out.setFloat64(at, view.getFloat64(0, true), true);
    out.setFloat64(at + 8, view.getFloat64(8, true), true);
    out.setInt32(at + 16, view.getInt32(16, true), true);
    const micro = rest | 0;
    const ms = (micro / 1000) | 0;
    out.setInt32(at + 20, THREE_DIGITS[ms] as number, true);
    if (!micros) {
      out.setUint8(at + 23, LETTER_Z);
      return at + 24;
    }
    out.setInt32(at + 23, THREE_DIGITS[micro - ms * 1000] as number, true);
    out.setUint8(at + 26, LETTER_Z);
    return at + 27;
  }

  #open(second: number): void {
    this.#second = second * SECOND_US;
    const day = Math.floor((second * SECOND_US) / DAY_US);
    if (day !== this.#day) {
      this.#day = day;
      this.#begin = createFixedText(`${new Date(day * 86_400_000).toISOString().slice(0, 11)}00:00:00.`);
    }
    const { view } = this.#begin;
    const ofDay = second - day * 86_400;
    const minutes = (ofDay / 60) | 0;
    const hours = (minutes / 60) | 0;
    view.setUint16(11, TWO_DIGITS[hours] as number, true);
    view.setUint8(13, COLON);
    view.setUint16(14, TWO_DIGITS[minutes - hours * 60] as number, true);
    view.setUint8(16, COLON);
    view.setUint16(17, TWO_DIGITS[ofDay - minutes * 60] as number, true);
    view.setUint8(19, POINT);
  }
}

function packAscii(value: number, digits: number): number {
  return Buffer.from(String(value).padStart(digits, '0')).readUIntLE(0, digits);
}

import { US_PER_DAY } from '../../dataset/day.js';
import { createFixedText, type FixedText } from './fixed-text.js';

const US_PER_SECOND = 1_000_000;
const COLON = 58;
const POINT = 46;
const LETTER_Z = 90;

/** ASCII digits of 00 to 99, and of 000 to 999, each as a little-endian word. */
const TWO_DIGITS = Uint16Array.from({ length: 100 }, (_, i) => packAscii(i, 2));
const THREE_DIGITS = Int32Array.from({ length: 1000 }, (_, i) => packAscii(i, 3));

/** Maximum size of a time, with the bytes that are written after it. */
export const MAX_TIME_BYTES = 32;

/**
 * Whether `timestamp` has six decimals in lines (docs/spec/normalized-messages.md#times): it is not whole
 * milliseconds, or equals the local time, as for an exchange that sends no time.
 */
export function hasMicros(timestamp: number, localTimestamp: number): boolean {
  // The remainder operator on doubles takes several times as long.
  return timestamp === localTimestamp || Math.floor(timestamp / 1000) * 1000 !== timestamp;
}

/**
 * Writes times as ISO 8601, `2024-03-01T00:00:00.123456Z` or `….123Z`. It caches the last second, so use a
 * writer for each column. Times up to 2^53 - 1 are in years of four digits.
 */
export class IsoTime {
  #day = Number.NaN;
  /** Start of the cached second, in microseconds. */
  #second = Number.NaN;
  /** `2024-03-01T00:00:00.` */
  #prefix: FixedText = createFixedText('2024-03-01T00:00:00.');

  /** @param time microseconds. @returns the position after it. */
  write(time: number, micros: boolean, out: DataView, at: number): number {
    let rest = time - this.#second;
    if (!(rest >= 0 && rest < US_PER_SECOND)) {
      this.#setSecond(Math.floor(time / US_PER_SECOND));
      rest = time - this.#second;
    }
    const { view } = this.#prefix;
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

  #setSecond(second: number): void {
    this.#second = second * US_PER_SECOND;
    const day = Math.floor((second * US_PER_SECOND) / US_PER_DAY);
    if (day !== this.#day) {
      this.#day = day;
      this.#prefix = createFixedText(`${new Date(day * 86_400_000).toISOString().slice(0, 11)}00:00:00.`);
    }
    const { view } = this.#prefix;
    const secondOfDay = second - day * 86_400;
    const minutes = (secondOfDay / 60) | 0;
    const hours = (minutes / 60) | 0;
    view.setUint16(11, TWO_DIGITS[hours] as number, true);
    view.setUint8(13, COLON);
    view.setUint16(14, TWO_DIGITS[minutes - hours * 60] as number, true);
    view.setUint8(16, COLON);
    view.setUint16(17, TWO_DIGITS[secondOfDay - minutes * 60] as number, true);
    view.setUint8(19, POINT);
  }
}

function packAscii(value: number, digits: number): number {
  return Buffer.from(String(value).padStart(digits, '0')).readUIntLE(0, digits);
}

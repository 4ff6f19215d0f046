import { MS_PER_MINUTE } from '../../dataset/minute.js';

/**
 * A line of a slice (docs/spec/raw-feeds-api.md#lines): 28 bytes of local timestamp, a space, the exchange's
 * own message, as in `2019-06-01T00:03:03.1238784Z {"table":"trade",...}`. Lines are split by position; the
 * message is not inspected.
 */
export const TIMESTAMP_BYTES = 28;
/** Position of the message in a line. */
export const MESSAGE_START = 29;

const ZERO = 0x30;
const DASH = 0x2d;
const COLON = 0x3a;
const DOT = 0x2e;
const LETTER_T = 0x54;
const LETTER_Z = 0x5a;
const SPACE = 0x20;

/** Value of two ASCII digits, indexed by first byte × 256 + second byte; negative if one is not a digit. */
const PAIRS = new Int8Array(65_536).fill(-1);
for (let i = 0; i < 100; i++) PAIRS[((ZERO + Math.floor(i / 10)) << 8) | (ZERO + (i % 10))] = i;

/** Whether a line begins here, by the separators in its local timestamp. */
export function isLineStart(text: Uint8Array, at: number): boolean {
  return (
    text[at + 28] === SPACE &&
    text[at + 27] === LETTER_Z &&
    text[at + 19] === DOT &&
    text[at + 16] === COLON &&
    text[at + 13] === COLON &&
    text[at + 10] === LETTER_T &&
    text[at + 7] === DASH &&
    text[at + 4] === DASH
  );
}

/** Parses local timestamps into tenths of a microsecond since a minute, exact within 28 years of it. */
export class TimestampReader {
  readonly #base: number;
  #year = -1;
  #month = -1;
  #day = -1;
  /** Minutes from the base to the day parsed last; NaN for a day that does not exist. */
  #dayMinutes = 0;

  /** @param base a minute since the epoch. */
  constructor(base: number) {
    this.#base = base;
  }

  /** Tenths of a microsecond from the base to the local timestamp at `at`; NaN if it is not a valid time. */
  ticks(text: Uint8Array, at: number): number {
    const century = pair(text, at);
    const years = pair(text, at + 2);
    const month = pair(text, at + 5);
    const day = pair(text, at + 8);
    const hours = pair(text, at + 11);
    const minutes = pair(text, at + 14);
    const seconds = pair(text, at + 17);
    const a = pair(text, at + 20);
    const b = pair(text, at + 22);
    const c = pair(text, at + 24);
    const last = (text[at + 26] as number) - ZERO;
    const all = century | years | month | day | hours | minutes | seconds | a | b | c | last | (9 - last);
    if (all < 0 || hours > 23 || minutes > 59 || seconds > 59) return Number.NaN;
    const minute = this.#toDay(century * 100 + years, month, day) + hours * 60 + minutes;
    return (minute * 60 + seconds) * 10_000_000 + a * 100_000 + b * 1000 + c * 10 + last;
  }

  #toDay(year: number, month: number, day: number): number {
    if (day !== this.#day || month !== this.#month || year !== this.#year) {
      this.#year = year;
      this.#month = month;
      this.#day = day;
      const start = new Date(Date.UTC(year, month - 1, day));
      const isThere = start.getUTCMonth() === month - 1 && start.getUTCFullYear() === year;
      this.#dayMinutes = isThere ? start.getTime() / MS_PER_MINUTE - this.#base : Number.NaN;
    }
    return this.#dayMinutes;
  }
}

function pair(text: Uint8Array, at: number): number {
  return PAIRS[((text[at] as number) << 8) | (text[at + 1] as number)] as number;
}

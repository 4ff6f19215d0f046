import { MS_A_MINUTE } from '../../dataset/minutes.js';

/**
 * A line of a slice (replay facts, section 1): 28 bytes of local timestamp, a space, the exchange's own message, as in
 * `2019-06-01T00:03:03.1238784Z {"table":"trade",...}`. Lines are cut by position: a message is never looked into.
 */
export const TIMESTAMP_BYTES = 28;
/** Where the message begins. */
export const MESSAGE_START = 29;

const ZERO = 0x30;
const NINE = 0x39;
const DASH = 0x2d;
const COLON = 0x3a;
const DOT = 0x2e;
const LETTER_T = 0x54;
const LETTER_Z = 0x5a;
const SPACE = 0x20;

/** Whether a line begins here, by the form of its timestamp; at least 29 bytes are there. */
export function isLineStart(text: Uint8Array, at: number): boolean {
  return (
    text[at + 28] === SPACE &&
    text[at + 27] === LETTER_Z &&
    text[at + 19] === DOT &&
    text[at + 16] === COLON &&
    text[at + 13] === COLON &&
    text[at + 10] === LETTER_T &&
    text[at + 7] === DASH &&
    text[at + 4] === DASH &&
    (signs(text, at, 4) |
      signs(text, at + 5, 2) |
      signs(text, at + 8, 2) |
      signs(text, at + 11, 2) |
      signs(text, at + 14, 2) |
      signs(text, at + 17, 2) |
      signs(text, at + 20, 7)) >=
      0
  );
}

/** Less than 0 where one of so many bytes is no digit. */
function signs(text: Uint8Array, at: number, count: number): number {
  let found = 0;
  for (let i = at; i < at + count; i++) {
    const byte = text[i] as number;
    found |= (byte - ZERO) | (NINE - byte);
  }
  return found;
}

/** Reads local timestamps: tenths of a microsecond since a minute, exact for 28 years around it. */
export class TimestampReader {
  readonly #base: number;
  #year = -1;
  #month = -1;
  #day = -1;
  /** Minutes from the base to the day that was read last; NaN for a day that the calendar lacks. */
  #dayMinutes = 0;

  /** @param base a minute since the epoch. */
  constructor(base: number) {
    this.#base = base;
  }

  /** Tenths of a microsecond since the base, where a line begins; NaN for a time that there is not. */
  ticks(text: Uint8Array, at: number): number {
    const hours = pair(text, at + 11);
    const minutes = pair(text, at + 14);
    const seconds = pair(text, at + 17);
    if (hours > 23 || minutes > 59 || seconds > 59) return Number.NaN;
    const fraction =
      pair(text, at + 20) * 100_000 +
      pair(text, at + 22) * 1000 +
      pair(text, at + 24) * 10 +
      ((text[at + 26] as number) - ZERO);
    return ((this.#toDay(text, at) + hours * 60 + minutes) * 60 + seconds) * 10_000_000 + fraction;
  }

  #toDay(text: Uint8Array, at: number): number {
    const year = pair(text, at) * 100 + pair(text, at + 2);
    const month = pair(text, at + 5);
    const day = pair(text, at + 8);
    if (day !== this.#day || month !== this.#month || year !== this.#year) {
      this.#year = year;
      this.#month = month;
      this.#day = day;
      const start = new Date(Date.UTC(year, month - 1, day));
      const isThere = start.getUTCMonth() === month - 1 && start.getUTCFullYear() === year;
      this.#dayMinutes = isThere ? start.getTime() / MS_A_MINUTE - this.#base : Number.NaN;
    }
    return this.#dayMinutes;
  }
}

function pair(text: Uint8Array, at: number): number {
  return ((text[at] as number) - ZERO) * 10 + ((text[at + 1] as number) - ZERO);
}

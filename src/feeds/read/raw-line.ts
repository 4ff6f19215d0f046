/**
 * A line of a slice (replay facts, section 1): 28 bytes of local timestamp, a space, the exchange's own message, as in
 * `2019-06-01T00:03:03.1238784Z {"table":"trade",...}`. Lines are cut by position: a message is never looked into.
 */
export const TIMESTAMP_BYTES = 28;
/** Where the message begins. */
export const MESSAGE_START = 29;

const ZERO = 0x30;
const DASH = 0x2d;
const COLON = 0x3a;
const DOT = 0x2e;
const LETTER_T = 0x54;
const LETTER_Z = 0x5a;
const SPACE = 0x20;

/** Whether a line begins here, by the signs that stand between the digits. */
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

/** Reads local timestamps: tenths of a microsecond since a minute, exact for three centuries around it. */
export class TimestampReader {
  readonly #base: number;
  #year = -1;
  #month = -1;
  #day = -1;
  /** Minutes from the base to the day that was read last. */
  #dayMinutes = 0;

  /** @param base a minute since the epoch. */
  constructor(base: number) {
    this.#base = base;
  }

  /** Minutes since the base. */
  minutes(text: Uint8Array, at: number): number {
    const year = pair(text, at) * 100 + pair(text, at + 2);
    const month = pair(text, at + 5);
    const day = pair(text, at + 8);
    if (day !== this.#day || month !== this.#month || year !== this.#year) {
      this.#year = year;
      this.#month = month;
      this.#day = day;
      this.#dayMinutes = Date.UTC(year, month - 1, day) / 60_000 - this.#base;
    }
    return this.#dayMinutes + pair(text, at + 11) * 60 + pair(text, at + 14);
  }

  /** Tenths of a microsecond since the base. */
  ticks(text: Uint8Array, at: number): number {
    const fraction =
      pair(text, at + 20) * 100_000 +
      pair(text, at + 22) * 1000 +
      pair(text, at + 24) * 10 +
      ((text[at + 26] as number) - ZERO);
    return (this.minutes(text, at) * 60 + pair(text, at + 17)) * 10_000_000 + fraction;
  }
}

function pair(text: Uint8Array, at: number): number {
  return ((text[at] as number) - ZERO) * 10 + ((text[at + 1] as number) - ZERO);
}

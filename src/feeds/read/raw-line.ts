import { MS_PER_MINUTE } from '../../dataset/minute.js';

/**
 * A line of a slice (docs/spec/raw-feeds-api.md#lines): 28 bytes of local timestamp, a space, the exchange's
 * own message, as in `2019-06-01T00:03:03.1238784Z {"table":"trade",...}`. Lines are split by position; the
 * message is not inspected.
 */
export const TIMESTAMP_BYTES = 28;
/** Position of the message in a line. */
export const MESSAGE_START = 29;

export const TICKS_PER_MINUTE = 600_000_000;
/** Years below 100 are not valid; Go's zero time is in year 1. */
const MIN_MS = Date.UTC(100, 0);

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
  /** The first 16 bytes, up to the minute, of the timestamp parsed last. */
  #year = -1;
  #month = -1;
  #day = -1;
  #minute = -1;
  /** Tenths of a microsecond from the base to that minute; NaN for a minute that does not exist. */
  #minuteTicks = 0;

  /** @param base a minute since the epoch. */
  constructor(base: number) {
    this.#base = base;
  }

  /**
   * Tenths of a microsecond from the base to the local timestamp of the line at `at`, which must have 29 bytes;
   * NaN if it does not begin with a valid time and a space.
   */
  ticks(text: DataView, at: number): number {
    const year = text.getUint32(at);
    const month = text.getUint32(at + 4);
    const day = text.getUint32(at + 8);
    const minute = text.getUint32(at + 12);
    // Most lines have the minute of the line before.
    if (minute !== this.#minute || day !== this.#day || month !== this.#month || year !== this.#year) {
      this.#year = year;
      this.#month = month;
      this.#day = day;
      this.#minute = minute;
      this.#minuteTicks = this.#toTicks(
        Buffer.from(text.buffer, text.byteOffset + at, 16).toString('latin1'),
      );
    }
    const second = text.getUint32(at + 16);
    const decimals = text.getUint32(at + 20);
    const end = text.getUint32(at + 24);
    const seconds = PAIRS[(second >>> 8) & 0xffff] as number;
    const a = PAIRS[decimals >>> 16] as number;
    const b = PAIRS[decimals & 0xffff] as number;
    const c = PAIRS[end >>> 16] as number;
    const last = ((end >>> 8) & 0xff) - ZERO;
    const isValid =
      (seconds | (59 - seconds) | a | b | c | last | (9 - last)) >= 0 &&
      second >>> 24 === COLON &&
      (second & 0xff) === DOT &&
      (end & 0xff) === LETTER_Z &&
      text.getUint8(at + 28) === SPACE;
    if (!isValid) return Number.NaN;
    return this.#minuteTicks + seconds * 10_000_000 + a * 100_000 + b * 1000 + c * 10 + last;
  }

  #toTicks(minute: string): number {
    const ms = Date.parse(`${minute}Z`);
    const isThere = ms >= MIN_MS && new Date(ms).toISOString().startsWith(minute);
    return isThere ? (ms / MS_PER_MINUTE - this.#base) * TICKS_PER_MINUTE : Number.NaN;
  }
}

import { US_PER_DAY } from '../../day-files/day.js';

const MINUS = 45;
const POINT = 46;
const ZERO = 48;

/** ASCII digits of 00 to 99, each as a little-endian word. */
const TWO_DIGITS = Uint16Array.from({ length: 100 }, (_, i) => packAscii(i, 2));

/** Maximum size of a double in JavaScript's shortest form, such as `-1.2345678901234567e-300`. */
export const MAX_NUMBER_BYTES = 32;

/** Smaller whole numbers are exact, so their shortest form has all their digits. */
const MAX_WHOLE = 2 ** 53;
/** Below this, the number of thousandths fits into a 32-bit integer. */
const MAX_SHORT_THOUSANDTHS = 1e6;
/** Below this, JavaScript uses an exponent. */
const MIN_PLAIN = 1e-6;

/**
 * Writes a double as `JSON.stringify` does, with null for NaN and infinities; returns the position after it.
 *
 * Nearly all prices and amounts are decimals of at most 15 digits with up to 8 decimals (small ones up to
 * 12), that is, an integer over a power of ten. Both are exact as doubles, so their quotient is the double
 * nearest to the decimal. If this equals the value, these digits are the shortest form, since no two decimals
 * of 15 digits have the same double.
 */
export function writeNumber(value: number, out: DataView, position: number): number {
  let at = position;
  let rest = value;
  if (rest < 0) {
    out.setUint8(at++, MINUS);
    rest = -rest;
  }
  if (rest < MAX_WHOLE && Math.floor(rest) === rest) return writeWhole(rest, out, at);
  if (rest < MAX_SHORT_THOUSANDTHS) {
    const scaled = Math.round(rest * 1000) | 0;
    if (scaled / 1000 === rest) return writeThousandths(scaled, out, at);
  }
  if (rest < 1e7 && rest >= MIN_PLAIN) {
    const scaled = Math.round(rest * 1e8);
    if (scaled / 1e8 === rest) {
      const whole = Math.floor(scaled / 1e8);
      at = writeWhole(whole, out, at);
      out.setUint8(at++, POINT);
      return writeStripped((scaled - whole * 1e8) | 0, 8, out, at);
    }
    if (rest < 1e3) {
      const scaledFine = Math.round(rest * 1e12);
      if (scaledFine / 1e12 === rest) return writeFine(scaledFine, out, at);
    }
  }
  return writeAscii(JSON.stringify(value), out, position);
}

/** Writes most prices and many amounts, with integer arithmetic only. */
function writeThousandths(scaled: number, out: DataView, position: number): number {
  const whole = (scaled / 1000) | 0;
  const at = writeInt(whole, out, position);
  out.setUint8(at, POINT);
  return writeStripped(scaled - whole * 1000, 3, out, at + 1);
}

/** Writes a number of at most 15 digits with twelve decimals. */
function writeFine(scaled: number, out: DataView, position: number): number {
  const whole = Math.floor(scaled / 1e12);
  const decimals = scaled - whole * 1e12;
  const high = Math.floor(decimals / 1e4);
  const low = decimals - high * 1e4;
  let at = writeWhole(whole, out, position);
  out.setUint8(at++, POINT);
  at = writePadded(high | 0, 8, out, at);
  return writeStripped(low | 0, 4, out, at);
}

function writeWhole(value: number, out: DataView, at: number): number {
  if (value < 1e9) return writeInt(value | 0, out, at);
  const high = Math.floor(value / 1e8);
  const end = writeInt(high | 0, out, at);
  return writePadded((value - high * 1e8) | 0, 8, out, end);
}

function writeInt(value: number, out: DataView, at: number): number {
  let digits = 1;
  for (let power = 10; power <= value && digits < 10; power *= 10) digits++;
  return writePadded(value, digits, out, at);
}

/**
 * Writes decimals without trailing zeros. `value` is not 0, since a shorter form would have matched before.
 */
function writeStripped(value: number, width: number, out: DataView, at: number): number {
  let rest = value;
  let digits = width;
  while (rest % 10 === 0) {
    rest = (rest / 10) | 0;
    digits--;
  }
  return writePadded(rest, digits, out, at);
}

/** Writes two digits at a time, from the end. */
function writePadded(value: number, digits: number, out: DataView, at: number): number {
  let rest = value;
  let p = at + digits;
  while (p - at >= 2) {
    const hundredth = (rest / 100) | 0;
    p -= 2;
    out.setUint16(p, TWO_DIGITS[rest - hundredth * 100] as number, true);
    rest = hundredth;
  }
  if (p > at) out.setUint8(at, ZERO + rest);
  return at + digits;
}

function writeAscii(text: string, out: DataView, at: number): number {
  for (let i = 0; i < text.length; i++) out.setUint8(at + i, text.charCodeAt(i));
  return at + text.length;
}

/**
 * Maximum number of bytes that `copyFixed` writes after the end of its text; the target must have this room.
 */
export const WORD_BYTES = 8;

/** ASCII or UTF-8 text that is written often, padded with `WORD_BYTES` bytes. */
export interface FixedText {
  readonly view: DataView;
  readonly length: number;
}

/** Destination of lines. Both views have the same memory. */
export interface LineTarget {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

export function createFixedText(text: string): FixedText {
  const bytes = Buffer.from(text);
  const padded = new Uint8Array(bytes.length + WORD_BYTES);
  padded.set(bytes);
  return { view: new DataView(padded.buffer), length: bytes.length };
}

export function createLineTarget(size: number): LineTarget {
  const bytes = new Uint8Array(size);
  return { bytes, view: new DataView(bytes.buffer) };
}

/** Copies eight bytes at a time, so padding is copied, too. Returns the position after the text. */
export function copyFixed({ view, length }: FixedText, to: DataView, at: number): number {
  copyWords(view, length, to, at);
  return at + length;
}

/**
 * Copies the first `length` bytes of valid UTF-8, and some further bytes. Words are copied as doubles, with
 * one instruction each way. They are never NaN, whose bits might change: that would need a byte from f0 to ff
 * before 7f or ff.
 */
export function copyWords(from: DataView, length: number, to: DataView, at: number): void {
  for (let p = 0; p < length; p += WORD_BYTES) to.setFloat64(at + p, from.getFloat64(p, true), true);
}

const US_PER_SECOND = 1_000_000;
const COLON = 58;
const LETTER_Z = 90;

/** ASCII digits of 000 to 999, each as a little-endian word. */
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

const QUOTE = 34;
const BACKSLASH = 92;
const SPACE = 32;
const LETTER_U = 117;

/** Maximum size of a byte of text in JSON: `\u0000`. */
export const MAX_ESCAPE_BYTES = 6;

/** The letter after the backslash for bytes with a short escape (RFC 8259, section 7); 0 for others. */
const SHORT_ESCAPES = new Uint8Array(256);
for (const [char, letter] of Object.entries({
  '"': '"',
  '\\': '\\',
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
})) {
  SHORT_ESCAPES[char.charCodeAt(0)] = letter.charCodeAt(0);
}

/** Last digits of \u0000 to \u001f, in lower case. */
const HEX = Buffer.from('0123456789abcdef');

/** Number of bytes that escaping adds to a text. */
export function countEscapeBytes(text: Uint8Array, start: number, end: number): number {
  let extra = 0;
  for (let p = start; p < end; p++) {
    const byte = text[p] as number;
    if (byte < SPACE) extra += SHORT_ESCAPES[byte] === 0 ? 5 : 1;
    else if (byte === QUOTE || byte === BACKSLASH) extra++;
  }
  return extra;
}

/** Writes UTF-8 text as the content of a JSON string; returns the position after it. */
export function writeEscaped(
  text: Uint8Array,
  start: number,
  end: number,
  out: Uint8Array,
  position: number,
): number {
  let at = position;
  for (let p = start; p < end; p++) {
    const byte = text[p] as number;
    const letter = SHORT_ESCAPES[byte] as number;
    if (letter > 0) {
      out[at++] = BACKSLASH;
      out[at++] = letter;
    } else if (byte < SPACE) {
      out[at++] = BACKSLASH;
      out[at++] = LETTER_U;
      out[at++] = ZERO;
      out[at++] = ZERO;
      out[at++] = ZERO + (byte >>> 4);
      out[at++] = HEX[byte & 15] as number;
    } else {
      out[at++] = byte;
    }
  }
  return at;
}

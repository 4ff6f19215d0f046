const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const NINE = 57;

/** Bytes that a double takes at most in JavaScript's shortest form, as `-1.2345678901234567e-300`. */
export const LONGEST_NUMBER = 32;

/** 10^8, and the bound below which a number times it has at most 15 digits. */
const SCALE = 1e8;
const SCALABLE = 1e7;
const MOST_WHOLE = 1e15;
/** Below this JavaScript writes an exponent. */
const LEAST_PLAIN = 1e-6;

/** Significant digits that any double keeps apart: texts of no more, none ending in 0, are the shortest form. */
const SAFE_DIGITS = 15;

/**
 * Writes a double as `JSON.stringify` does, null for NaN and the infinite; returns the position behind it.
 *
 * Most prices and amounts are whole numbers over 10^8 with at most 15 digits. Dividing such a number by 10^8, which
 * a double holds exactly, gives the double nearest to the decimal; where that is the value, its digits are the
 * shortest that do.
 */
export function writeNumber(value: number, out: DataView, position: number): number {
  let at = position;
  let rest = value;
  if (rest < 0) {
    out.setUint8(at++, MINUS);
    rest = -rest;
  }
  if (rest < MOST_WHOLE && Math.floor(rest) === rest) return writeWhole(rest, out, at);
  if (rest < SCALABLE && rest >= LEAST_PLAIN) {
    const scaled = Math.round(rest * SCALE);
    if (scaled / SCALE === rest) {
      const whole = Math.floor(scaled / SCALE);
      at = writeWhole(whole, out, at);
      out.setUint8(at, POINT);
      return writeDecimals(scaled - whole * SCALE, out, at + 1);
    }
  }
  return writeAscii(JSON.stringify(value), out, position);
}

/**
 * Writes a number of a day file: its own digits where they are JavaScript's shortest form already, else the double.
 * @param start where its digits begin in `text`; they match `-?\d+(\.\d+)?([eE][-+]?\d+)?`.
 */
export function writeDigits(
  text: Uint8Array,
  start: number,
  end: number,
  value: number,
  out: DataView,
  position: number,
): number {
  if (end - start > SAFE_DIGITS + 1 || Math.abs(value) < LEAST_PLAIN)
    return writeNumber(value, out, position);
  let at = position;
  let p = start;
  if (value < 0) {
    out.setUint8(at++, MINUS);
    p++;
  }
  // A leading zero stands alone before the point.
  if (text[p] === ZERO && p + 1 < end && text[p + 1] !== POINT) return writeNumber(value, out, position);
  let hasPoint = false;
  const digits = p;
  for (; p < end; p++) {
    const byte = text[p] as number;
    if (byte === POINT) hasPoint = true;
    else if (byte > NINE) return writeNumber(value, out, position);
    out.setUint8(at++, byte);
  }
  const tooMany = end - digits - (hasPoint ? 1 : 0) > SAFE_DIGITS;
  if (tooMany || (hasPoint && text[end - 1] === ZERO)) return writeNumber(value, out, position);
  return at;
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

/** Digits behind a point: eight of them, without zeros at the end. */
function writeDecimals(value: number, out: DataView, at: number): number {
  let rest = value | 0;
  let digits = 8;
  if (rest % 10_000 === 0) {
    rest = (rest / 10_000) | 0;
    digits = 4;
  }
  while (rest % 10 === 0) {
    rest = (rest / 10) | 0;
    digits--;
  }
  return writePadded(rest, digits, out, at);
}

function writePadded(value: number, digits: number, out: DataView, at: number): number {
  let rest = value;
  for (let p = at + digits - 1; p >= at; p--) {
    const tenth = (rest / 10) | 0;
    out.setUint8(p, ZERO + rest - tenth * 10);
    rest = tenth;
  }
  return at + digits;
}

function writeAscii(text: string, out: DataView, at: number): number {
  for (let i = 0; i < text.length; i++) out.setUint8(at + i, text.charCodeAt(i));
  return at + text.length;
}

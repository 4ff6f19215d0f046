const MINUS = 45;
const POINT = 46;
const ZERO = 48;

/** ASCII digits of 00 to 99, each as a little-endian word. */
const TWO_DIGITS = Uint16Array.from({ length: 100 }, (_, i) =>
  Buffer.from(String(i).padStart(2, '0')).readUInt16LE(),
);

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

const DECIMAL = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/;
const INTEGER = /^-?\d+$/;

/** More digits never matter in a number or a time; limits the work per cell. */
const MAX_CELL_BYTES = 1024;

/** A parsed cell, or the problem with it, as the end of a sentence. */
export type ParsedCell = number | string;

/** Accepts JSON's grammar plus leading zeros; refuses `+1`, `.5`, `3.`, NaN and Infinity. */
export function parseDecimal(bytes: Buffer, start: number, end: number): ParsedCell {
  const text = toAscii(bytes, start, end);
  if (!DECIMAL.test(text)) return 'is not a decimal number';
  const value = Number(text);
  return Number.isFinite(value) ? value : 'is outside the range of a double';
}

/** Integer microseconds, up to 2^53 - 1 in magnitude. */
export function parseTimeUs(bytes: Buffer, start: number, end: number): ParsedCell {
  const text = toAscii(bytes, start, end);
  if (!INTEGER.test(text)) return 'is not a time in integer microseconds';
  const value = Number(text);
  // Adding zero turns -0 into 0.
  return Number.isSafeInteger(value) ? value + 0 : 'is outside the range of times, 2^53 - 1 microseconds';
}

/** `true` as 1, `false` as 0. */
export function parseBoolean(bytes: Buffer, start: number, end: number): ParsedCell {
  const text = toAscii(bytes, start, end);
  if (text === 'true') return 1;
  return text === 'false' ? 0 : 'is neither true nor false';
}

/** Empty for a text that is too long, which no grammar here accepts. */
function toAscii(bytes: Buffer, start: number, end: number): string {
  return end - start > MAX_CELL_BYTES ? '' : bytes.toString('latin1', start, end);
}

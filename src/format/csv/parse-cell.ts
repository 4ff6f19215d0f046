const DECIMAL = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/;
const INTEGER = /^-?\d+$/;

/** Past this no number and no time has a use for more digits; it bounds the work for a cell. */
const MAX_CELL_BYTES = 1024;

/** A parsed cell, or what is wrong with it, as a sentence's end. */
export type ParsedCell = number | string;

/** Any decimal that JSON's grammar takes, leading zeros besides; no `+1`, `.5`, `3.`, NaN or Infinity. */
export function parseDecimal(bytes: Buffer, start: number, end: number): ParsedCell {
  const text = toAscii(bytes, start, end);
  if (!DECIMAL.test(text)) return 'is not a decimal number';
  const value = Number(text);
  return Number.isFinite(value) ? value : "is past a double's range";
}

/** Integer microseconds, up to 2^53 - 1 in magnitude. */
export function parseTimeUs(bytes: Buffer, start: number, end: number): ParsedCell {
  const text = toAscii(bytes, start, end);
  if (!INTEGER.test(text)) return 'is not a time in integer microseconds';
  const value = Number(text);
  // Adding zero makes 0 of -0.
  return Number.isSafeInteger(value) ? value + 0 : 'is past the range of times, 2^53 - 1 microseconds';
}

/** `true` as 1, `false` as 0. */
export function parseBoolean(bytes: Buffer, start: number, end: number): ParsedCell {
  const text = toAscii(bytes, start, end);
  if (text === 'true') return 1;
  return text === 'false' ? 0 : 'is neither true nor false';
}

/** Empty for what is too long, which no grammar here takes. */
function toAscii(bytes: Buffer, start: number, end: number): string {
  return end - start > MAX_CELL_BYTES ? '' : bytes.toString('latin1', start, end);
}

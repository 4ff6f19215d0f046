/** A decimal, taken apart. */
interface DecimalParts {
  readonly isNegative: boolean;
  /** Without zeros at the start and the end; empty for 0. */
  readonly digits: string;
  /** How many of the digits are before the point: with -2, the first one is the third decimal. */
  readonly wholeDigits: number;
}

/**
 * Takes the text of a decimal apart, which may have an exponent.
 * @throws Error for any other text, which the CSV parser excludes.
 */
export function readDecimal(text: string): DecimalParts {
  const parts = parseDecimal(text);
  if (!parts) throw new Error(`${text} is not a decimal`);
  return parts;
}

function parseDecimal(text: string): DecimalParts | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]?\d+))?$/i.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '', decimals = '', exponent = '0'] = match;
  const all = whole + decimals;
  const start = all.search(/[1-9]/);
  if (start < 0) return { digits: '', wholeDigits: 0, isNegative: false };
  let end = all.length;
  while (all[end - 1] === '0') end--;
  const wholeDigits = whole.length - start + Number(exponent);
  return { digits: all.slice(start, end), wholeDigits, isNegative: sign === '-' };
}

/** Zeros of a number of the service that is taken for a mistake. */
const MAX_ZEROS = 100;

/** A number, or its text, as the shortest decimal without an exponent: `1e-7` is `0.0000001`. */
export function toDecimalText(value: unknown): string | undefined {
  const isDecimal = typeof value === 'number' || typeof value === 'string';
  const parts = isDecimal ? parseDecimal(String(value)) : undefined;
  if (!parts || Math.abs(parts.wholeDigits) > MAX_ZEROS) return undefined;
  const { digits, wholeDigits, isNegative } = parts;
  const padded = digits.padStart(digits.length + 1 - Math.min(1, wholeDigits), '0').padEnd(wholeDigits, '0');
  const point = Math.max(1, wholeDigits);
  const fraction = padded.slice(point);
  return `${isNegative ? '-' : ''}${padded.slice(0, point)}${fraction && `.${fraction}`}`;
}

/** The decimals that a number needs, without zeros at the end; throws as `readDecimal` does. */
export function countNeededDecimals(text: string): number {
  const { digits, wholeDigits } = readDecimal(text);
  return Math.max(0, digits.length - wholeDigits);
}

/** A decimal text with zeros at the end up to `decimals`; undefined if it has more. */
export function padDecimals(text: string, decimals: number): string | undefined {
  const [whole = '', fraction = ''] = text.split('.');
  if (fraction.length > decimals) return undefined;
  return decimals === 0 ? whole : `${whole}.${fraction.padEnd(decimals, '0')}`;
}

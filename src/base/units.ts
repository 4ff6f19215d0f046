import { usageError } from './errors.js';

const DURATIONS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const SIZES: Readonly<Record<string, number>> = { B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/**
 * Parses a duration such as `500ms`, `90s`, `15m`, `4h` to milliseconds (docs/spec/command-line.md#units).
 */
export function parseDuration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim());
  const unit = DURATIONS[match?.[2] ?? ''];
  if (unit === undefined)
    throw usageError(`"${text}" is not a duration; use a value such as 500ms, 90s, 15m or 4h`);
  return Math.round(Number(match?.[1]) * unit);
}

/** Parses a size such as `64KB`, `20MB`, `1GB` (powers of ten) or a plain number to bytes. */
export function parseSize(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([KMGT]?B)?(?:\/s)?$/i.exec(text.trim());
  const unit = match && SIZES[(match[2] ?? 'B').toUpperCase()];
  const bytes = unit ? Math.round(Number(match[1]) * unit) : 0;
  if (bytes < 1) throw usageError(`"${text}" is not a size; use a value such as 64KB, 20MB or 1GB`);
  return bytes;
}

/** Formats bytes for display, in powers of ten: `1.2 MB`. */
export function formatSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

const THOUSANDS = ['', 'K', 'M', 'B', 'T'];

/**
 * Formats an integer briefly for display: `12.3M`. Does not use `Intl`, which takes longer to load than a
 * plan.
 */
export function formatCount(count: number): string {
  const rounded = (at: number): number => Math.round(count / (1000 ** at / 10)) / 10;
  const at = THOUSANDS.findIndex((_, at) => rounded(at) < 1000);
  const last = at < 0 ? THOUSANDS.length - 1 : at;
  return `${rounded(last)}${THOUSANDS[last]}`;
}

/** Formats milliseconds for display: `0.4s`, `12s`, `3m20s`, `2h05m`. */
export function formatDuration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}s`;
  const pad = (n: number): string => String(n).padStart(2, '0');
  if (whole < 3600) return `${Math.floor(whole / 60)}m${pad(whole % 60)}s`;
  return `${Math.floor(whole / 3600)}h${pad(Math.floor((whole % 3600) / 60))}m`;
}

/** `1 file`, `2 files`. @param shown formatted count, such as `1,234` or `12.3M`. */
export function plural(count: number, noun: string, shown = String(count)): string {
  return `${shown} ${noun}${count === 1 ? '' : 's'}`;
}

/** `a`, `a or b`, `a, b or c`. */
export function joinWithOr(words: readonly string[]): string {
  return words.join(', ').replace(/, ([^,]*)$/, ' or $1');
}

/** Seconds, to the millisecond, since a value of `performance.now()`. */
export function secondsSince(startMs: number): number {
  return Math.round(performance.now() - startMs) / 1000;
}

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

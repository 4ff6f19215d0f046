const MAX_DECIMALS = 10;
const MAX_DIGITS = 10;

/** Number of decimals needed to show all values with the same precision. */
export function countDecimals(values: readonly (number | undefined)[]): number {
  return values.reduce<number>((max, value) => Math.max(max, countOwnDecimals(value)), 0);
}

/** Formats a number with the given decimals; a dash for undefined. */
export function formatFixed(value: number | undefined, decimals: number): string {
  return value === undefined ? '–' : value.toFixed(decimals);
}

/** Formats a number in its shortest form with at most ten significant digits; a dash for undefined. */
export function formatShort(value: number | undefined): string {
  return value === undefined ? '–' : String(Number(value.toPrecision(MAX_DIGITS)));
}

function countOwnDecimals(value = 0): number {
  // toFixed avoids exponents and rounding errors of floating point numbers.
  const [, decimals = ''] = value.toFixed(MAX_DECIMALS).split('.');
  return decimals.replace(/0+$/, '').length;
}

/** Decimals that are shown at most. */
const MOST_DECIMALS = 10;
const MOST_DIGITS = 10;

/** The number of decimals that numbers need to be shown alike. */
export function decimalsOf(values: readonly (number | undefined)[]): number {
  return values.reduce<number>((most, value) => Math.max(most, ownDecimals(value)), 0);
}

/** A number with so many decimals; of no number a dash. */
export function fixed(value: number | undefined, decimals: number): string {
  return value === undefined ? '–' : value.toFixed(decimals);
}

/** A number in its shortest form, of at most ten digits that count; of no number a dash. */
export function short(value: number | undefined): string {
  return value === undefined ? '–' : String(Number(value.toPrecision(MOST_DIGITS)));
}

function ownDecimals(value = 0): number {
  // Without an exponent, and without what floats add at the far end.
  const [, decimals = ''] = value.toFixed(MOST_DECIMALS).split('.');
  return decimals.replace(/0+$/, '').length;
}

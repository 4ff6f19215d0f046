import { usageError } from '../../base/errors.js';

/** Interval of candles. */
export interface Timeframe {
  /** As in the names of files: `1m`, `4h`. */
  readonly name: string;
  readonly microseconds: number;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
const DAY_SECONDS = 86_400;

/**
 * Parses the name of a timeframe, which divides a UTC day, so that a candle lies in one day.
 * @throws usage error.
 */
export function parseTimeframe(name: string): Timeframe {
  const [, count = '', unit = ''] = /^([1-9]\d*)(s|m|h|d)$/.exec(name) ?? [];
  const seconds = Number(count) * (UNIT_SECONDS[unit] ?? 0);
  if (seconds === 0 || DAY_SECONDS % seconds !== 0)
    throw usageError(`--timeframe: "${name}" does not divide a day; use 1m, 5m, 1h, 1d or the like`);
  return { name, microseconds: seconds * 1_000_000 };
}

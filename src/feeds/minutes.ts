/** Minutes since the epoch, UTC: the raw data API's unit of time. */
export type Minute = number;

/** Minutes from `start` up to, not including, `end`. */
export interface MinuteRange {
  readonly start: Minute;
  readonly end: Minute;
}

export const MS_A_MINUTE = 60_000;
export const US_A_MINUTE = 60_000_000;
export const MINUTES_A_DAY = 1440;

/** `2024-03-01T00:05`. */
export function formatMinute(minute: Minute): string {
  return new Date(minute * MS_A_MINUTE).toISOString().slice(0, 16);
}

/** The minutes that two ranges share; undefined where there are none. */
export function overlap(a: MinuteRange, b: MinuteRange): MinuteRange | undefined {
  const start = Math.max(a.start, b.start);
  const end = Math.min(a.end, b.end);
  return start < end ? { start, end } : undefined;
}

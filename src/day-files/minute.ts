/** Minutes since the epoch, UTC: the raw data API's unit of time. */
export type Minute = number;

/** Minutes from `start` up to, but not including, `end`. */
export interface MinuteRange {
  readonly start: Minute;
  readonly end: Minute;
}

export const MS_PER_MINUTE = 60_000;
export const US_PER_MINUTE = 60_000_000;
export const MINUTES_PER_DAY = 1440;

/** `2024-03-01T00:05`. */
export function formatMinute(minute: Minute): string {
  return new Date(minute * MS_PER_MINUTE).toISOString().slice(0, 16);
}

/** Converts microseconds since the epoch to whole minutes. Rounds both ends down. */
export function usRangeToMinutes({
  start,
  end,
}: {
  readonly start: number;
  readonly end: number;
}): MinuteRange {
  return { start: Math.floor(start / US_PER_MINUTE), end: Math.floor(end / US_PER_MINUTE) };
}

/** Converts minutes to microseconds since the epoch. */
export function minutesToUsRange({ start, end }: MinuteRange): {
  readonly start: number;
  readonly end: number;
} {
  return { start: start * US_PER_MINUTE, end: end * US_PER_MINUTE };
}

/** The minutes that both ranges contain; undefined if there are none. */
export function intersectMinutes(a: MinuteRange, b: MinuteRange): MinuteRange | undefined {
  const start = Math.max(a.start, b.start);
  const end = Math.min(a.end, b.end);
  return start < end ? { start, end } : undefined;
}

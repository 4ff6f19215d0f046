import { usageError } from '../base/errors.js';

/** A UTC day, as the number of days since 1970-01-01. */
export type Day = number & { readonly unit: 'UTC day' };

export const MS_PER_DAY = 86_400_000;
/** Microseconds. */
export const US_PER_DAY = 86_400_000_000;

/**
 * Parses `YYYY-MM-DD`.
 * @throws usage error for another form or a day that does not exist (2024-02-30).
 */
export function parseDay(text: string): Day {
  const cached = dayByText.get(text);
  if (cached !== undefined) return cached;
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text.trim());
  if (match) {
    const ms = Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3]));
    const day = (ms / MS_PER_DAY) as Day;
    if (formatDay(day) === text.trim()) return day;
    throw usageError(`"${text}" is not a valid calendar date`);
  }
  throw usageError(`"${text}" is not a day: write it as YYYY-MM-DD, for example 2024-03-01`);
}

/**
 * Parses a single day from user input: `YYYY-MM-DD`, or `today` or `yesterday` in UTC.
 * @param nowMs current time, in milliseconds since the epoch.
 * @throws usage error like `parseDay`, also for a month.
 */
export function parseDayWord(text: string, nowMs: number): Day {
  const trimmed = text.trim();
  if (/^today$/i.test(trimmed)) return msToDay(nowMs);
  if (/^yesterday$/i.test(trimmed)) return addDays(msToDay(nowMs), -1);
  if (MONTH.test(trimmed))
    throw usageError(`"${trimmed}" is a month: write one day of it, for example ${trimmed}-01`);
  return parseDay(trimmed);
}

/** Parses the bound of a range from user input: a day, or `YYYY-MM` for the first day of a month. */
export function parseDayBound(text: string, nowMs: number): Day {
  const trimmed = text.trim();
  return MONTH.test(trimmed) ? parseDay(`${trimmed}-01`) : parseDayWord(trimmed, nowMs);
}

/** Parses a day, or a whole month, from user input to `YYYY-MM-DD` or `YYYY-MM`. */
export function parseDayOrMonth(text: string, nowMs: number): string {
  const trimmed = text.trim();
  return MONTH.test(trimmed) ? trimmed : formatDay(parseDayWord(trimmed, nowMs));
}

/** The days of `YYYY-MM-DD` or `YYYY-MM`; `to` is exclusive. @throws usage error like `parseDay`. */
export function daysOf(dayOrMonth: string): { readonly from: Day; readonly to: Day } {
  if (!MONTH.test(dayOrMonth)) {
    const day = parseDay(dayOrMonth);
    return { from: day, to: addDays(day, 1) };
  }
  const [year, month] = dayOrMonth.split('-').map(Number) as [number, number];
  return { from: firstDayOfMonth(year, month - 1), to: firstDayOfMonth(year, month) };
}

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

/** Formats a day as `YYYY-MM-DD`. */
export function formatDay(day: Day): string {
  const cached = textByDay.get(day);
  if (cached !== undefined) return cached;
  const text = new Date(day * MS_PER_DAY).toISOString().slice(0, 10);
  if (textByDay.size >= MAX_CACHED_DAYS) {
    textByDay.clear();
    dayByText.clear();
  }
  textByDay.set(day, text);
  dayByText.set(text, day);
  return text;
}

/** Caches, since plans and manifests contain the same few thousand days millions of times. */
const textByDay = new Map<Day, string>();
const dayByText = new Map<string, Day>();
const MAX_CACHED_DAYS = 40_000;

/** The UTC day of an ISO 8601 time; undefined if the text is not a time. */
export function parseTimeToDay(iso: string): Day | undefined {
  const ms = Date.parse(iso);
  return Number.isNaN(ms) ? undefined : msToDay(ms);
}

/** The UTC day of a time in milliseconds since the epoch. */
export function msToDay(ms: number): Day {
  return Math.floor(ms / MS_PER_DAY) as Day;
}

/** The first day of a month. @param month from 0; months above 11 belong to the following years. */
export function firstDayOfMonth(year: number, month: number): Day {
  return (Date.UTC(year, month) / MS_PER_DAY) as Day;
}

export function yearOf(day: Day): number {
  return new Date(day * MS_PER_DAY).getUTCFullYear();
}

export function addDays(day: Day, count: number): Day {
  return (day + count) as Day;
}

/** Whether the service serves this day without a key (docs/spec/datasets-api.md#authorization). */
export function isFirstDayOfMonth(day: Day): boolean {
  return new Date(day * MS_PER_DAY).getUTCDate() === 1;
}

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

import { usageError } from '../base/errors.js';

/** A UTC day, as the count of days since 1970-01-01. */
export type Day = number & { readonly unit: 'UTC day' };

const MS_PER_DAY = 86_400_000;

/**
 * Reads `YYYY-MM-DD`.
 * @throws usage error for another form or a day that no calendar has (2024-02-30).
 */
export function parseDay(text: string): Day {
  const known = dayByText.get(text);
  if (known !== undefined) return known;
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text.trim());
  if (match) {
    const ms = Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3]));
    const day = (ms / MS_PER_DAY) as Day;
    if (formatDay(day) === text.trim()) return day;
    throw usageError(`"${text}" is not a day of the calendar`);
  }
  throw usageError(`"${text}" is not a day: write it as YYYY-MM-DD, for example 2024-03-01`);
}

/**
 * Reads a day as people name it: `YYYY-MM-DD`, `today` or `yesterday` in UTC, or a month, `YYYY-MM`, for its first day.
 * @param nowMs the clock, in milliseconds since the epoch.
 * @throws usage error as `parseDay`.
 */
export function parseDayWord(text: string, nowMs: number): Day {
  const word = text.trim();
  if (/^today$/i.test(word)) return msToDay(nowMs);
  if (/^yesterday$/i.test(word)) return addDays(msToDay(nowMs), -1);
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(word) ? parseDay(`${word}-01`) : parseDay(word);
}

/** The day as `YYYY-MM-DD`. */
export function formatDay(day: Day): string {
  const known = textByDay.get(day);
  if (known !== undefined) return known;
  const text = new Date(day * MS_PER_DAY).toISOString().slice(0, 10);
  if (textByDay.size >= MAX_CACHED_DAYS) {
    textByDay.clear();
    dayByText.clear();
  }
  textByDay.set(day, text);
  dayByText.set(text, day);
  return text;
}

/** Plans and manifests name the same few thousand days a million times. */
const textByDay = new Map<Day, string>();
const dayByText = new Map<string, Day>();
const MAX_CACHED_DAYS = 40_000;

/** The UTC day in which an ISO 8601 time of the service lies; undefined for a text that is no time. */
export function parseTimeToDay(iso: string): Day | undefined {
  const ms = Date.parse(iso);
  return Number.isNaN(ms) ? undefined : msToDay(ms);
}

/** The UTC day of a clock reading in milliseconds since the epoch. */
export function msToDay(ms: number): Day {
  return Math.floor(ms / MS_PER_DAY) as Day;
}

/** The first day of a month, counted from 0; a month past the year's end is one of the next year. */
export function firstDayOfMonth(year: number, month: number): Day {
  return (Date.UTC(year, month) / MS_PER_DAY) as Day;
}

export function yearOf(day: Day): number {
  return new Date(day * MS_PER_DAY).getUTCFullYear();
}

export function addDays(day: Day, count: number): Day {
  return (day + count) as Day;
}

/** Whether the service serves this day without a key (service interface, Datasets API, rule 4). */
export function isFirstDayOfMonth(day: Day): boolean {
  return new Date(day * MS_PER_DAY).getUTCDate() === 1;
}

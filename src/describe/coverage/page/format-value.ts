import { formatDuration } from '../../../base/units.js';
import { type Day, formatDay, US_PER_DAY } from '../../../day-files/day.js';
import { dayToCalendarWeekday } from './browser/calendar-layout.js';

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** `2024-03-01, Friday`. */
export function formatWeekday(day: Day): string {
  return `${formatDay(day)}, ${WEEKDAYS[dayToCalendarWeekday(day)]}`;
}

/** `1,234,567`. */
export function formatNumber(value: number): string {
  return value.toLocaleString('en');
}

/** Formats microseconds since the start of a day as `04:12:10.123`; a time of another day has the distance in days. */
export function formatTimeOfDay(microseconds: number): string {
  const days = Math.floor(microseconds / US_PER_DAY);
  const ms = Math.floor((microseconds - days * US_PER_DAY) / 1000);
  const time = new Date(ms).toISOString().slice(11, 23);
  return days === 0 ? time : `${time} (${days > 0 ? '+' : ''}${days}d)`;
}

/** Formats microseconds as `850 µs`, `12.5 ms` or a duration such as `1.2s` and `1h02m`. */
export function formatMicroseconds(microseconds: number): string {
  const size = Math.abs(microseconds);
  const sign = microseconds < 0 ? '-' : '';
  if (size < 1000) return `${sign}${Math.round(size)} µs`;
  const ms = size / 1000;
  return `${sign}${ms < 1000 ? `${Number(ms.toPrecision(3))} ms` : formatDuration(ms)}`;
}

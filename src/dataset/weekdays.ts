import { usageError } from '../base/errors.js';
import type { Day } from './day.js';

/** Short names of the weekdays, Monday first. */
const WEEKDAY_NAMES = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** Whether a day is selected. */
export type DayTest = (day: Day) => boolean;

/**
 * Parses weekdays and ranges of weekdays, such as `mon-fri` or `sat,sun`. A range may include the end of a
 * week, as in `sat-mon`.
 * @throws usage error for any other word.
 */
export function parseWeekdays(items: readonly string[]): DayTest {
  const selected = new Set<number>();
  for (const item of items) {
    const [first = '', last = first, ...more] = item
      .trim()
      .toLowerCase()
      .split('-')
      .map((word) => word.trim());
    const [from, to] = [first, last].map((word) => WEEKDAY_NAMES.findIndex((name) => isDayName(word, name)));
    if (from === undefined || to === undefined || from < 0 || to < 0 || more.length > 0) {
      throw usageError(
        `"${item}" is not a weekday; use ${WEEKDAY_NAMES.join(', ')}, or a range such as mon-fri`,
      );
    }
    for (let day = from; ; day = (day + 1) % 7) {
      selected.add(day);
      if (day === to) break;
    }
  }
  return (day) => selected.has(dayToWeekday(day));
}

/** Accepts `mon`, `monday` and any abbreviation between them. */
function isDayName(word: string, name: string): boolean {
  const whole = { tue: 'tuesday', wed: 'wednesday', thu: 'thursday', sat: 'saturday' }[name] ?? `${name}day`;
  return word.length >= name.length && whole.startsWith(word);
}

/** 1970-01-01 was a Thursday. */
function dayToWeekday(day: Day): number {
  return (((day + 3) % 7) + 7) % 7;
}

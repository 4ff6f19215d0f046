import { usageError } from '../base/errors.js';
import type { Day } from './day.js';

/** Days of the week, Monday first. */
const WEEKDAY_NAMES = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** Whether a day is wanted. */
export type DayTest = (day: Day) => boolean;

/**
 * Reads a list of weekdays and ranges of them, as `mon-fri` or `sat,sun`; a range may go over the week's end.
 * @throws usage error for another word.
 */
export function parseWeekdays(items: readonly string[]): DayTest {
  const wanted = new Set<number>();
  for (const item of items) {
    const [first = '', last = first, ...more] = item
      .trim()
      .toLowerCase()
      .split('-')
      .map((word) => word.trim());
    const [from, to] = [first, last].map((word) => WEEKDAY_NAMES.findIndex((name) => isDayName(word, name)));
    if (from === undefined || to === undefined || from < 0 || to < 0 || more.length > 0) {
      throw usageError(
        `"${item}" is no day of the week: write ${WEEKDAY_NAMES.join(', ')}, or a range as mon-fri`,
      );
    }
    for (let day = from; ; day = (day + 1) % 7) {
      wanted.add(day);
      if (day === to) break;
    }
  }
  return (day) => wanted.has(dayToWeekday(day));
}

/** `mon`, `monday` and what lies between. */
function isDayName(word: string, name: string): boolean {
  const whole = { tue: 'tuesday', wed: 'wednesday', thu: 'thursday', sat: 'saturday' }[name] ?? `${name}day`;
  return word.length >= name.length && whole.startsWith(word);
}

/** 1970-01-01 was a Thursday. */
function dayToWeekday(day: Day): number {
  return (((day + 3) % 7) + 7) % 7;
}

import { type Day, formatDay } from '../../../dataset/day.js';
import { window } from '../../../page/browser/dom.js';
import { elementById } from '../../../page/browser/elements.js';
import type { DayState } from '../../coverage-facts.js';
import { dayToCalendarWeekday } from './calendar-layout.js';

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const STATE_WORDS: Readonly<Record<DayState, string>> = { p: 'present', e: 'empty: no rows', m: 'missing' };

const WIDTH = 230;

/** Shows a day's date and state beside a point of the window. Screen readers announce it. */
export function showTooltip(day: Day, state: DayState, left: number, top: number): void {
  const node = elementById('tooltip');
  node.textContent = `${formatDay(day)}, ${WEEKDAYS[dayToCalendarWeekday(day)]}: ${STATE_WORDS[state]}`;
  node.hidden = false;
  node.style.left = `${Math.max(4, Math.min(left + 14, window.innerWidth - WIDTH)) + window.scrollX}px`;
  node.style.top = `${top + 16 + window.scrollY}px`;
}

export function hideTooltip(): void {
  elementById('tooltip').hidden = true;
}

import { addDays, type Day, formatDay } from '../../../dataset/day.js';
import { type PageCanvas, type PageEvent, type PageNode, window } from '../../../page/browser/dom.js';
import { elementById } from '../../../page/browser/elements.js';
import type { DayState } from '../../coverage-facts.js';
import {
  type CalendarLayout,
  createCalendarLayout,
  dayAt,
  dayPosition,
  dayToCalendarWeekday,
} from './calendar-layout.js';
import { drawCalendar, preparePen } from './drawing.js';

/** A calendar on a canvas. It is drawn only while it is near the window, to save memory. */
export interface Calendar {
  readonly node: PageNode;
  /** Sets the size that the calendar needs for a width. */
  fit(width: number): void;
  draw(): void;
  clear(): void;
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowUp: -1,
  ArrowDown: 1,
  ArrowLeft: -7,
  ArrowRight: 7,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** Creates a calendar. @param states one `DayState` per day from `first`. */
export function createCalendar(canvas: PageCanvas, first: Day, states: string): Calendar {
  let width = 0;
  let layout: CalendarLayout = createCalendarLayout(first, states.length, width);
  let marked: Day | undefined;
  let isDrawn = false;

  const draw = (): void => {
    isDrawn = true;
    drawCalendar(preparePen(canvas, width, layout.height), layout, states, marked);
  };
  const show = (day: Day, left: number, top: number): void =>
    showTooltip(day, states.charAt(day - first) as DayState, left, top);
  const mark = (day: Day | undefined): void => {
    marked = day;
    if (isDrawn) draw();
    if (day === undefined) {
      hideTooltip();
      return;
    }
    const { x, y } = dayPosition(layout, day);
    const corner = canvas.getBoundingClientRect();
    show(day, corner.left + x, corner.top + y);
  };
  const clamp = (day: number): Day => Math.max(first, Math.min(layout.last, day)) as Day;
  const findDayForKey = (key: string): Day | undefined => {
    const at = marked ?? layout.last;
    const step = STEPS[key];
    if (step !== undefined) return clamp(at + step);
    if (key === 'PageDown') return findNextIncompleteDay(states, first, at);
    return undefined;
  };

  canvas.addEventListener('pointermove', (event) => {
    const corner = canvas.getBoundingClientRect();
    const day = dayAt(layout, { x: event.clientX - corner.left, y: event.clientY - corner.top });
    if (day === undefined) hideTooltip();
    else show(day, event.clientX, event.clientY);
  });
  canvas.addEventListener('pointerleave', hideTooltip);
  canvas.addEventListener('blur', () => mark(undefined));
  canvas.addEventListener('keydown', (event: PageEvent) => {
    const day = event.key === 'Escape' ? undefined : findDayForKey(event.key);
    if (day === undefined && event.key !== 'Escape') return;
    event.preventDefault();
    mark(day);
  });

  return {
    node: canvas,
    fit(columnWidth) {
      width = columnWidth;
      layout = createCalendarLayout(first, states.length, width);
      canvas.style.height = `${layout.height}px`;
      if (isDrawn) draw();
    },
    draw,
    clear() {
      isDrawn = false;
      canvas.width = 0;
      canvas.height = 0;
    },
  };
}

/** The next day that is empty or missing; continues at the beginning after the last one. */
function findNextIncompleteDay(states: string, first: Day, day: Day): Day | undefined {
  const after = states.slice(day - first + 1).search(/[^p]/);
  if (after !== -1) return addDays(day, after + 1);
  const index = states.search(/[^p]/);
  return index === -1 ? undefined : addDays(first, index);
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const STATE_WORDS: Readonly<Record<DayState, string>> = { p: 'present', e: 'empty: no rows', m: 'missing' };

const WIDTH = 230;

/** Shows a day's date and state next to a point of the window. Screen readers announce it. */
function showTooltip(day: Day, state: DayState, left: number, top: number): void {
  const node = elementById('tooltip');
  node.textContent = `${formatDay(day)}, ${WEEKDAYS[dayToCalendarWeekday(day)]}: ${STATE_WORDS[state]}`;
  node.hidden = false;
  node.style.left = `${Math.max(4, Math.min(left + 14, window.innerWidth - WIDTH)) + window.scrollX}px`;
  node.style.top = `${top + 16 + window.scrollY}px`;
}

function hideTooltip(): void {
  elementById('tooltip').hidden = true;
}

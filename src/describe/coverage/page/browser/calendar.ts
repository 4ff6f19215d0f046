import {
  elementById,
  type PageCanvas,
  type PageEvent,
  type PageNode,
  window,
} from '../../../../base/page/browser/dom.js';
import { addDays, type Day } from '../../../../day-files/day.js';
import { type CalendarLayout, createCalendarLayout, dayAt, dayPosition } from './calendar-layout.js';
import { drawCalendar, preparePen } from './drawing.js';

/** A calendar on a canvas. It is drawn only while it is near the window, to save memory. */
export interface Calendar {
  readonly node: PageNode;
  /** Sets the size that the calendar needs for a width. */
  fit(width: number): void;
  draw(): void;
  clear(): void;
  /** Frames a day until the next call. */
  select(day: Day | undefined): void;
}

export interface CalendarContent {
  readonly first: Day;
  /** One `PageState` per day from `first`. */
  readonly states: string;
  /** Text of a day's tooltip. */
  readonly describe: (day: Day) => string;
  /** Whether Page Down stops at a state. */
  readonly isListed: (state: string) => boolean;
  /** Called for a day that is clicked, or chosen with Enter or Space. */
  readonly onSelect?: ((day: Day) => void) | undefined;
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowUp: -1,
  ArrowDown: 1,
  ArrowLeft: -7,
  ArrowRight: 7,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** Creates a calendar on a canvas. */
export function createCalendar(canvas: PageCanvas, content: CalendarContent): Calendar {
  const { first, states, describe, onSelect } = content;
  let width = 0;
  let layout: CalendarLayout = createCalendarLayout(first, states.length, width);
  let marked: Day | undefined;
  let selected: Day | undefined;
  let isDrawn = false;

  const draw = (): void => {
    isDrawn = true;
    drawCalendar(preparePen(canvas, width, layout.height), layout, states, marked ?? selected);
  };
  const show = (day: Day, left: number, top: number): void => showTooltip(describe(day), left, top);
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
    if (key === 'PageDown') return findNextListedDay(content, at);
    return undefined;
  };

  const findDayAt = (event: PageEvent): Day | undefined => {
    const corner = canvas.getBoundingClientRect();
    return dayAt(layout, { x: event.clientX - corner.left, y: event.clientY - corner.top });
  };

  canvas.addEventListener('pointermove', (event) => {
    const day = findDayAt(event);
    if (day === undefined) hideTooltip();
    else show(day, event.clientX, event.clientY);
  });
  canvas.addEventListener('pointerleave', hideTooltip);
  canvas.addEventListener('blur', () => mark(undefined));
  canvas.addEventListener('click', (event) => {
    const day = findDayAt(event);
    if (day !== undefined) onSelect?.(day);
  });
  canvas.addEventListener('keydown', (event: PageEvent) => {
    if (marked !== undefined && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault();
      onSelect?.(marked);
      return;
    }
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
    select(day) {
      selected = day;
      if (isDrawn) draw();
    },
  };
}

/** The next day that is listed; continues at the beginning after the last one. */
function findNextListedDay({ states, first, isListed }: CalendarContent, day: Day): Day | undefined {
  const all = [...states];
  const next = day - first + 1;
  const after = all.slice(next).findIndex(isListed);
  const index = after === -1 ? all.findIndex(isListed) : next + after;
  return index === -1 ? undefined : addDays(first, index);
}

const MARGIN = 4;

/** Shows a text next to a point of the window. Screen readers announce it. */
function showTooltip(text: string, left: number, top: number): void {
  const node = elementById('tooltip');
  node.textContent = text;
  node.hidden = false;
  // The text wraps at the right edge of the page, so its width is measured at the left edge.
  node.style.left = '0';
  const rightmost = window.innerWidth - node.clientWidth - MARGIN;
  node.style.left = `${Math.max(MARGIN, Math.min(left + 14, rightmost)) + window.scrollX}px`;
  node.style.top = `${top + 16 + window.scrollY}px`;
}

function hideTooltip(): void {
  elementById('tooltip').hidden = true;
}

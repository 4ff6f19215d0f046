import { createElement, elementById, styleColor } from '../../../../base/page/browser/elements.js';
import { addDays, type Day, firstDayOfMonth, yearOf } from '../../../../day-files/day.js';
import type { PageState } from '../page-data.js';
import {
  type CalendarLayout,
  createCalendarLayout,
  dayAt,
  dayPosition,
  LABEL_WIDTH,
  type Point,
  yearPosition,
} from './calendar-layout.js';

/** A calendar on a canvas. It is drawn only while it is near the window, to save memory. */
export interface Calendar {
  readonly node: HTMLElement;
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
  /** Lines of a day's tooltip. */
  readonly describe: (day: Day) => readonly string[];
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
export function createCalendar(canvas: HTMLCanvasElement, content: CalendarContent): Calendar {
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

  const findDayAt = (event: MouseEvent): Day | undefined => {
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
  canvas.addEventListener('keydown', (event) => {
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

/** Shows lines next to a point of the window. Screen readers announce them. */
function showTooltip(lines: readonly string[], left: number, top: number): void {
  const node = elementById('tooltip');
  node.replaceChildren(...lines.map((line) => createElement('div', '', line)));
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

const MONTH_NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Sets a canvas to its size in device pixels and returns a pen that draws in CSS pixels. */
export function preparePen(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D {
  const scale = window.devicePixelRatio;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const pen = canvas.getContext('2d') as CanvasRenderingContext2D;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  return pen;
}

/** Draws the calendar of a series. @param marked the day with a frame. */
function drawCalendar(
  pen: CanvasRenderingContext2D,
  layout: CalendarLayout,
  states: string,
  marked: Day | undefined,
): void {
  const colors = readStateColors();
  drawLabels(pen, layout);
  for (const [index, state] of [...states].entries()) {
    const position = dayPosition(layout, (layout.first + index) as Day);
    drawCell(pen, position, layout.pitch, state as PageState, colors);
  }
  if (marked === undefined) return;
  const { x, y } = dayPosition(layout, marked);
  pen.strokeStyle = styleColor('text');
  pen.lineWidth = 2;
  pen.strokeRect(x - 1, y - 1, layout.pitch, layout.pitch);
}

type StateColors = Readonly<Record<PageState, string>>;

/** The current colours of the states. */
export function readStateColors(): StateColors {
  return {
    p: styleColor('present'),
    e: styleColor('empty'),
    m: styleColor('missing'),
    d: styleColor('degraded'),
    c: styleColor('corrupt'),
    n: styleColor('soft'),
    o: styleColor('soft'),
  };
}

/**
 * Draws a day with the colour and shape of its state: filled, with a hole, a crossed-out outline, a triangle, a cross, a
 * dot, or nothing.
 */
export function drawCell(
  pen: CanvasRenderingContext2D,
  { x, y }: Point,
  pitch: number,
  state: PageState,
  colors: StateColors,
): void {
  const size = pitch - (pitch > 6 ? 2 : 1);
  const third = size / 3;
  pen.fillStyle = colors[state];
  pen.strokeStyle = colors[state];
  pen.lineWidth = 1.25;
  if (state === 'p' || state === 'e') pen.fillRect(x, y, size, size);
  if (state === 'e') pen.clearRect(x + third, y + third, third, third);
  if (state === 'n') pen.fillRect(x + third, y + third, third, third);
  if (state === 'd') {
    pen.beginPath();
    pen.moveTo(x - 0.5, y + size);
    pen.lineTo(x + size / 2, y - 0.5);
    pen.lineTo(x + size + 0.5, y + size);
    pen.fill();
  }
  if (state === 'm') {
    pen.strokeRect(x + 0.6, y + 0.6, size - 1.2, size - 1.2);
    drawDiagonal(pen, x + 1, y + size - 1, size - 2, -1);
  }
  if (state === 'c') {
    pen.lineWidth = 2;
    drawDiagonal(pen, x + 0.5, y + 0.5, size - 1, 1);
    drawDiagonal(pen, x + 0.5, y + size - 0.5, size - 1, -1);
  }
}

/** @param direction 1 down, -1 up. */
function drawDiagonal(
  pen: CanvasRenderingContext2D,
  x: number,
  y: number,
  length: number,
  direction: 1 | -1,
): void {
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x + length, y + direction * length);
  pen.stroke();
}

function drawLabels(pen: CanvasRenderingContext2D, layout: CalendarLayout): void {
  pen.textBaseline = 'top';
  for (let year = yearOf(layout.first); year <= yearOf(layout.last); year++) {
    const { x, y } = yearPosition(layout, year);
    pen.fillStyle = styleColor('text');
    pen.font = '600 12px system-ui, sans-serif';
    pen.fillText(String(year), x, y + 1);
    pen.fillStyle = styleColor('soft');
    pen.font = '11px system-ui, sans-serif';
    // Skip every other month if cells are small, since the names would overlap.
    const step = layout.pitch < 6 ? 2 : 1;
    for (let month = 0; month < 12; month += step) {
      const left = dayPosition(layout, firstDayOfMonth(year, month)).x;
      pen.fillText(MONTH_NAMES[month] ?? '', Math.max(left, x + LABEL_WIDTH), y + 1);
    }
  }
}

import { type PageCanvas, type Pen, styleColor, window } from '../../../../base/page/browser/dom.js';
import { type Day, firstDayOfMonth, yearOf } from '../../../../day-files/day.js';
import type { PageState } from '../page-data.js';
import {
  type CalendarLayout,
  dayPosition,
  LABEL_WIDTH,
  type Point,
  yearPosition,
} from './calendar-layout.js';

const MONTH_NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Sets a canvas to its size in device pixels and returns a pen that draws in CSS pixels. */
export function preparePen(canvas: PageCanvas, width: number, height: number): Pen {
  const scale = window.devicePixelRatio;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const pen = canvas.getContext('2d');
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  return pen;
}

/** Draws the calendar of a series. @param marked the day with a frame. */
export function drawCalendar(
  pen: Pen,
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
  pen: Pen,
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
function drawDiagonal(pen: Pen, x: number, y: number, length: number, direction: 1 | -1): void {
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x + length, y + direction * length);
  pen.stroke();
}

function drawLabels(pen: Pen, layout: CalendarLayout): void {
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

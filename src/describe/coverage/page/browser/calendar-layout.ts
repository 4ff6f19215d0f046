import { addDays, type Day, firstDayOfMonth, yearOf } from '../../../../day-files/day.js';

/** Positions of a calendar's cells: one block per year, one column per week, Monday first. Lengths in CSS pixels. */
export interface CalendarLayout {
  readonly first: Day;
  readonly last: Day;
  /** Distance between neighbouring cells. */
  readonly pitch: number;
  /** Number of blocks side by side. */
  readonly across: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A leap year that begins on a Sunday touches 54 weeks. */
const MAX_WEEKS = 54;
export const LABEL_WIDTH = 40;
const LABEL_HEIGHT = 16;
const BLOCK_GAP = 12;
const MIN_PITCH = 4;
const MAX_PITCH = 11;

/** Lays out a calendar. @param days number of days from `first`. @param width of the page's column. */
export function createCalendarLayout(first: Day, days: number, width: number): CalendarLayout {
  const last = addDays(first, days - 1);
  const blockWidth = (pitch: number): number => LABEL_WIDTH + MAX_WEEKS * pitch + BLOCK_GAP;
  const fitting = Math.floor((width + BLOCK_GAP) / blockWidth(MAX_PITCH - 1));
  const across = Math.max(1, Math.min(fitting, yearOf(last) - yearOf(first) + 1));
  const availablePitch = (width - across * (LABEL_WIDTH + BLOCK_GAP) + BLOCK_GAP) / (across * MAX_WEEKS);
  const pitch = Math.max(MIN_PITCH, Math.min(MAX_PITCH, Math.floor(availablePitch)));
  const blocks = Math.ceil((yearOf(last) - yearOf(first) + 1) / across);
  return { first, last, pitch, across, height: blocks * blockHeight(pitch) - BLOCK_GAP };
}

function blockHeight(pitch: number): number {
  return LABEL_HEIGHT + 7 * pitch + BLOCK_GAP;
}

/** Upper left corner of a year's block. */
export function yearPosition({ first, pitch, across }: CalendarLayout, year: number): Point {
  const block = year - yearOf(first);
  return {
    x: (block % across) * (LABEL_WIDTH + MAX_WEEKS * pitch + BLOCK_GAP),
    y: Math.floor(block / across) * blockHeight(pitch),
  };
}

/** Upper left corner of a day's cell. */
export function dayPosition(layout: CalendarLayout, day: Day): Point {
  const { x, y } = yearPosition(layout, yearOf(day));
  const cell = cellIndex(day);
  return {
    x: x + LABEL_WIDTH + Math.floor(cell / 7) * layout.pitch,
    y: y + LABEL_HEIGHT + (cell % 7) * layout.pitch,
  };
}

/** The day whose cell is at a point; undefined if there is none. */
export function dayAt(layout: CalendarLayout, { x, y }: Point): Day | undefined {
  const { first, last, pitch, across } = layout;
  const blockWidth = LABEL_WIDTH + MAX_WEEKS * pitch + BLOCK_GAP;
  const column = Math.floor(x / blockWidth);
  const week = Math.floor(((x % blockWidth) - LABEL_WIDTH) / pitch);
  const weekday = Math.floor(((y % blockHeight(pitch)) - LABEL_HEIGHT) / pitch);
  if (column < 0 || column >= across || week < 0 || week >= MAX_WEEKS || weekday < 0 || weekday > 6)
    return undefined;
  const year = yearOf(first) + Math.floor(y / blockHeight(pitch)) * across + column;
  const start = firstDayOfMonth(year, 0);
  const day = addDays(start, week * 7 + weekday - dayToCalendarWeekday(start));
  return day < Math.max(first, start) || day > last || yearOf(day) !== year ? undefined : day;
}

/** Index of a day's cell in its year's block, counting the cells before January 1. */
function cellIndex(day: Day): number {
  const start = firstDayOfMonth(yearOf(day), 0);
  return day - start + dayToCalendarWeekday(start);
}

/** Weekday of a day, 0 for Monday. 1970-01-01 was a Thursday. */
export function dayToCalendarWeekday(day: Day): number {
  return (((day + 3) % 7) + 7) % 7;
}

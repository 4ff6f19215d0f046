import type { ChalkInstance } from 'chalk';
import { addDays, type Day, firstDayOfMonth, yearOf } from '../../day-files/day.js';

/** Cell of a state. The cells of a calendar differ without colours too. */
export interface CalendarMark {
  readonly cell: string;
  readonly meaning: string;
  readonly color: 'green' | 'yellow' | 'redBright' | 'dim';
}

/** Cells by state, a character. Years of only absent days share one line. */
export interface CalendarMarks {
  readonly marks: Readonly<Record<string, CalendarMark>>;
  /** The states of absent days. */
  readonly absent: string;
}

/** Days of a series: one state per day from the first on, without gaps. A day of an unknown state is blank. */
export interface CalendarDays {
  readonly first: Day;
  readonly states: string;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAYS = '1   5    10   15   20   25   30';
const LABEL_WIDTH = 5;
const GAP_WIDTH = 3;

/** The legend of the cells, in one line, or one line per state on a narrow screen. */
export function formatLegend(
  calendar: CalendarMarks,
  screenColumns: number,
  chalk: ChalkInstance,
): readonly string[] {
  const texts = Object.values(calendar.marks).map(({ cell, meaning }) => `${cell} ${meaning}`);
  const line = texts.join('   ');
  return (line.length <= screenColumns ? [line] : texts).map((text) => `${paint(text, calendar, chalk)}\n`);
}

/**
 * A series as lines of months with one cell per day, as many months side by side as fit, below a ruler of days for each
 * year. Consecutive years without data share one line.
 */
export function formatCalendar(
  series: CalendarDays,
  calendar: CalendarMarks,
  screenColumns: number,
  chalk: ChalkInstance,
): readonly string[] {
  const perLine = countMonthsPerLine(screenColumns);
  const lines: string[] = [];
  for (const span of groupYears(series, calendar)) {
    if (span.isMissing) {
      const years = span.from === span.to ? `${span.from}` : `${span.from} to ${span.to}`;
      lines.push(chalk.dim(`${years}  no data\n`));
    } else lines.push(...formatYear(series, calendar, span.from, perLine, chalk));
  }
  return lines;
}

/** Consecutive years that share a heading. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly isMissing: boolean;
}

function groupYears({ first, states }: CalendarDays, { absent }: CalendarMarks): readonly Span[] {
  const spans: Span[] = [];
  for (let year = yearOf(first); year <= yearOf(addDays(first, states.length - 1)); year++) {
    const ofYear = states.slice(
      Math.max(0, firstDayOfMonth(year, 0) - first),
      firstDayOfMonth(year + 1, 0) - first,
    );
    const isMissing = [...ofYear].every((state) => absent.includes(state));
    const previous = spans.at(-1);
    if (isMissing && previous?.isMissing === true) spans[spans.length - 1] = { ...previous, to: year };
    else spans.push({ from: year, to: year, isMissing });
  }
  return spans;
}

function formatYear(
  series: CalendarDays,
  calendar: CalendarMarks,
  year: number,
  perLine: number,
  chalk: ChalkInstance,
): readonly string[] {
  const months = MONTHS.map((name, month) => ({
    name,
    cells: formatMonth(series, calendar, year, month),
  })).filter(({ cells }) => cells.trim() !== '');
  const ruler = Array(Math.min(perLine, months.length))
    .fill(DAYS)
    .join(' '.repeat(GAP_WIDTH + LABEL_WIDTH));
  const lines = [`${String(year).padEnd(LABEL_WIDTH)}${chalk.dim(ruler.trimEnd())}\n`];
  for (let at = 0; at < months.length; at += perLine) {
    const line = months.slice(at, at + perLine).map(({ name, cells }) => ` ${name} ${cells}`);
    lines.push(`${paint(line.join(' '.repeat(GAP_WIDTH)).trimEnd(), calendar, chalk)}\n`);
  }
  return lines;
}

/** 31 characters; days outside the series or the month are blank. */
function formatMonth(
  { first, states }: CalendarDays,
  { marks }: CalendarMarks,
  year: number,
  month: number,
): string {
  const start = firstDayOfMonth(year, month);
  const cells = Array.from({ length: firstDayOfMonth(year, month + 1) - start }, (_, i) => {
    const state = states[start + i - first];
    return (state === undefined ? undefined : marks[state]?.cell) ?? ' ';
  });
  return cells.join('').padEnd(31);
}

/** The number of months per line, a divisor of 12. */
function countMonthsPerLine(screenColumns: number): number {
  const count = [6, 4, 3, 2].find(
    (count) => count * (LABEL_WIDTH + 31 + GAP_WIDTH) - GAP_WIDTH <= screenColumns,
  );
  return count ?? 1;
}

function paint(text: string, { marks }: CalendarMarks, chalk: ChalkInstance): string {
  return Object.values(marks).reduce(
    (painted, { cell, color }) =>
      painted.replace(new RegExp(`${cell}+`, 'g'), (cells) => chalk[color](cells)),
    text,
  );
}

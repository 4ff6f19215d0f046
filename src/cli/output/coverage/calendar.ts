import type { ChalkInstance } from 'chalk';
import type { DayState, SeriesCoverage } from '../../../coverage/coverage-facts.js';
import { addDays, firstDayOfMonth, yearOf } from '../../../dataset/day.js';

/** A cell for each state: they differ without colours too. */
const MARKS: Readonly<Record<DayState, string>> = { p: '■', e: '○', m: '×' };
const MEANINGS: Readonly<Record<DayState, string>> = { p: 'present', e: 'empty (no rows)', m: 'missing' };

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAYS = '1   5    10   15   20   25   30';
const LABEL = 5;
const GAP = 3;

/** What the cells of a calendar mean, in a line, or each in one where the screen is narrow. */
export function formatLegend(screenColumns: number, chalk: ChalkInstance): readonly string[] {
  const states = Object.keys(MARKS) as DayState[];
  const texts = states.map((state) => `${MARKS[state]} ${MEANINGS[state]}`);
  const line = texts.join('   ');
  return (line.length <= screenColumns ? [line] : texts).map((text) => `${paint(text, chalk)}\n`);
}

/**
 * A series as lines of months, a cell a day, as many months side by side as fit; a ruler of days above each year.
 * Years of which nothing is there are told in a line.
 */
export function formatCalendar(
  series: SeriesCoverage,
  screenColumns: number,
  chalk: ChalkInstance,
): readonly string[] {
  const perLine = monthsPerLine(screenColumns);
  const lines: string[] = [];
  for (const span of spansOf(series)) {
    if (span.isMissing) {
      const years = span.from === span.to ? `${span.from}` : `${span.from} to ${span.to}`;
      lines.push(chalk.dim(`${years}  nothing is there\n`));
    } else lines.push(...yearLines(series, span.from, perLine, chalk));
  }
  return lines;
}

/** Years that are told together. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly isMissing: boolean;
}

function spansOf({ first, states }: SeriesCoverage): readonly Span[] {
  const spans: Span[] = [];
  for (let year = yearOf(first); year <= yearOf(addDays(first, states.length - 1)); year++) {
    const isMissing = /^m*$/.test(
      states.slice(Math.max(0, firstDayOfMonth(year, 0) - first), firstDayOfMonth(year + 1, 0) - first),
    );
    const before = spans.at(-1);
    if (isMissing && before?.isMissing === true) spans[spans.length - 1] = { ...before, to: year };
    else spans.push({ from: year, to: year, isMissing });
  }
  return spans;
}

function yearLines(
  series: SeriesCoverage,
  year: number,
  perLine: number,
  chalk: ChalkInstance,
): readonly string[] {
  const months = MONTHS.map((name, month) => ({ name, cells: monthCells(series, year, month) })).filter(
    ({ cells }) => cells.trim() !== '',
  );
  const ruler = Array(Math.min(perLine, months.length))
    .fill(DAYS)
    .join(' '.repeat(GAP + LABEL));
  const lines = [`${String(year).padEnd(LABEL)}${chalk.dim(ruler.trimEnd())}\n`];
  for (let at = 0; at < months.length; at += perLine) {
    const line = months.slice(at, at + perLine).map(({ name, cells }) => ` ${name} ${cells}`);
    lines.push(`${paint(line.join(' '.repeat(GAP)).trimEnd(), chalk)}\n`);
  }
  return lines;
}

/** 31 characters; days outside the series, and those that the month hasn't, are blank. */
function monthCells({ first, states }: SeriesCoverage, year: number, month: number): string {
  const start = firstDayOfMonth(year, month);
  const cells = Array.from({ length: firstDayOfMonth(year, month + 1) - start }, (_, i) => {
    const state = states[start + i - first] as DayState | undefined;
    return state === undefined ? ' ' : MARKS[state];
  });
  return cells.join('').padEnd(31);
}

/** Numbers that a year divides into evenly. */
function monthsPerLine(screenColumns: number): number {
  const fitting = [6, 4, 3, 2].find((count) => count * (LABEL + 31 + GAP) - GAP <= screenColumns);
  return fitting ?? 1;
}

function paint(text: string, chalk: ChalkInstance): string {
  return text
    .replace(/■+/g, (cells) => chalk.green(cells))
    .replace(/○+/g, (cells) => chalk.yellow(cells))
    .replace(/×+/g, (cells) => chalk.redBright(cells));
}

import type { ChalkInstance } from 'chalk';
import type { DayState, SeriesCoverage } from '../../../coverage/coverage-facts.js';
import { addDays, firstDayOfMonth, yearOf } from '../../../dataset/day.js';

/** Cell of each state; they differ without colours too. */
const MARKS: Readonly<Record<DayState, string>> = { p: '■', e: '○', m: '×' };
const MEANINGS: Readonly<Record<DayState, string>> = { p: 'present', e: 'empty (no rows)', m: 'missing' };

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAYS = '1   5    10   15   20   25   30';
const LABEL_WIDTH = 5;
const GAP_WIDTH = 3;

/** The legend of the cells, in one line, or one line per state on a narrow screen. */
export function formatLegend(screenColumns: number, chalk: ChalkInstance): readonly string[] {
  const states = Object.keys(MARKS) as DayState[];
  const texts = states.map((state) => `${MARKS[state]} ${MEANINGS[state]}`);
  const line = texts.join('   ');
  return (line.length <= screenColumns ? [line] : texts).map((text) => `${paint(text, chalk)}\n`);
}

/**
 * A series as lines of months with one cell per day, as many months side by side as fit, below a ruler of days for each
 * year. Consecutive years without data share one line.
 */
export function formatCalendar(
  series: SeriesCoverage,
  screenColumns: number,
  chalk: ChalkInstance,
): readonly string[] {
  const perLine = countMonthsPerLine(screenColumns);
  const lines: string[] = [];
  for (const span of groupYears(series)) {
    if (span.isMissing) {
      const years = span.from === span.to ? `${span.from}` : `${span.from} to ${span.to}`;
      lines.push(chalk.dim(`${years}  no data\n`));
    } else lines.push(...formatYear(series, span.from, perLine, chalk));
  }
  return lines;
}

/** Consecutive years that share a heading. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly isMissing: boolean;
}

function groupYears({ first, states }: SeriesCoverage): readonly Span[] {
  const spans: Span[] = [];
  for (let year = yearOf(first); year <= yearOf(addDays(first, states.length - 1)); year++) {
    const isMissing = /^m*$/.test(
      states.slice(Math.max(0, firstDayOfMonth(year, 0) - first), firstDayOfMonth(year + 1, 0) - first),
    );
    const previous = spans.at(-1);
    if (isMissing && previous?.isMissing === true) spans[spans.length - 1] = { ...previous, to: year };
    else spans.push({ from: year, to: year, isMissing });
  }
  return spans;
}

function formatYear(
  series: SeriesCoverage,
  year: number,
  perLine: number,
  chalk: ChalkInstance,
): readonly string[] {
  const months = MONTHS.map((name, month) => ({ name, cells: formatMonth(series, year, month) })).filter(
    ({ cells }) => cells.trim() !== '',
  );
  const ruler = Array(Math.min(perLine, months.length))
    .fill(DAYS)
    .join(' '.repeat(GAP_WIDTH + LABEL_WIDTH));
  const lines = [`${String(year).padEnd(LABEL_WIDTH)}${chalk.dim(ruler.trimEnd())}\n`];
  for (let at = 0; at < months.length; at += perLine) {
    const line = months.slice(at, at + perLine).map(({ name, cells }) => ` ${name} ${cells}`);
    lines.push(`${paint(line.join(' '.repeat(GAP_WIDTH)).trimEnd(), chalk)}\n`);
  }
  return lines;
}

/** 31 characters; days outside the series or the month are blank. */
function formatMonth({ first, states }: SeriesCoverage, year: number, month: number): string {
  const start = firstDayOfMonth(year, month);
  const cells = Array.from({ length: firstDayOfMonth(year, month + 1) - start }, (_, i) => {
    const state = states[start + i - first] as DayState | undefined;
    return state === undefined ? ' ' : MARKS[state];
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

function paint(text: string, chalk: ChalkInstance): string {
  return text
    .replace(/■+/g, (cells) => chalk.green(cells))
    .replace(/○+/g, (cells) => chalk.yellow(cells))
    .replace(/×+/g, (cells) => chalk.redBright(cells));
}

import type { ChalkInstance } from 'chalk';
import { describeReasons } from '../../audit/check-descriptions.js';
import { sanitizeForTerminal } from '../../base/text.js';
import { formatCount, formatDuration } from '../../base/units.js';
import { type Day, parseDay } from '../../day-files/day.js';
import type { AuditedDay, ContentResult, DayCondition } from '../../events/audited-day.js';
import { type CalendarMarks, formatCalendar, formatLegend } from './calendar.js';
import { formatInteger } from './format-coverage.js';
import { formatTable, type TableColumn } from './text/table.js';
import { cutStart, wrapLines, wrapList, wrapPieces } from './text/width.js';

export interface AuditTextOptions {
  /** Columns of the screen; infinite without a terminal, where nothing is shortened. */
  readonly columns: number;
  readonly chalk: ChalkInstance;
}

/** Columns of a calendar without a terminal. */
const DEFAULT_COLUMNS = 80;

/** Meaning of days that are available and have no rows, as in `coverage`. */
const EMPTY = 'empty (no rows)';

/** The state of a day in a calendar is the first letter of its condition. */
const CALENDAR: CalendarMarks & {
  readonly marks: Readonly<Record<string, { readonly meaning: DayCondition | typeof EMPTY }>>;
} = {
  marks: {
    a: { cell: '■', meaning: 'available', color: 'green' },
    e: { cell: '○', meaning: EMPTY, color: 'yellow' },
    d: { cell: '▲', meaning: 'degraded', color: 'yellow' },
    m: { cell: '×', meaning: 'missing', color: 'redBright' },
    p: { cell: '·', meaning: 'pending', color: 'dim' },
    c: { cell: '!', meaning: 'corrupt', color: 'redBright' },
  },
  absent: ' ',
};

/** From good to bad: of several files of a day, the worst counts. */
const SEVERITY: readonly string[] = [' ', 'a', 'e', 'p', 'm', 'd', 'c'];

/** The marks of conditions: days without rows are available. */
const CONDITIONS = Object.values(CALENDAR.marks).flatMap(({ meaning, ...mark }) =>
  meaning === EMPTY ? [] : [{ ...mark, meaning }],
);

/** The days of one series. */
interface AuditedSeries {
  readonly exchange: string;
  readonly dataType: string;
  readonly symbol: string;
  readonly states: Map<Day, string>;
  readonly counts: Partial<Record<DayCondition, number>>;
  rows: number;
}

/** Collects the days of an audit for its text. It keeps the checks of degraded days only. */
export class AuditText {
  readonly #series = new Map<string, AuditedSeries>();
  readonly #degraded: AuditedDay[] = [];

  add(day: AuditedDay): void {
    const { exchange, dataType, symbol, date, condition, rows = 0 } = day;
    if (condition === 'degraded') this.#degraded.push(day);
    if (date === '') return;
    const key = JSON.stringify([exchange, dataType, symbol]);
    const series: AuditedSeries = this.#series.get(key) ?? {
      exchange,
      dataType,
      symbol,
      states: new Map(),
      counts: {},
      rows: 0,
    };
    this.#series.set(key, series);
    const number = parseDay(date);
    const state = condition === 'available' && rows === 0 ? 'e' : (condition[0] as string);
    const other = series.states.get(number) ?? ' ';
    if (SEVERITY.indexOf(state) > SEVERITY.indexOf(other)) series.states.set(number, state);
    series.counts[condition] = (series.counts[condition] ?? 0) + 1;
    series.rows += rows;
  }

  /** A table of all series, a calendar of each, a line for each degraded day and each of its checks, and totals. */
  *format({ columns, chalk }: AuditTextOptions): Generator<string> {
    if (this.#series.size === 0) return;
    const series = [...this.#series.values()];
    const calendarColumns = Number.isFinite(columns) ? columns : DEFAULT_COLUMNS;
    yield `${formatSeriesTable(series, columns)}\n`;
    const { e: _, ...marks } = CALENDAR.marks;
    const hasEmpty = series.some(({ states }) => [...states.values()].includes('e'));
    const legend = hasEmpty ? CALENDAR : { ...CALENDAR, marks };
    yield* formatLegend(legend, calendarColumns, chalk);
    for (const one of series) {
      const names = [one.exchange, one.dataType, one.symbol].map(sanitizeForTerminal);
      yield `\n${wrapPieces(names, columns)
        .map((line) => `${chalk.bold(line)}\n`)
        .join('')}`;
      yield* formatCalendar(toCalendarDays(one.states), CALENDAR, calendarColumns, chalk);
    }
    yield '\n';
    for (const day of this.#degraded) yield wrapLines(formatDegradedDay(day, chalk), columns);
    if (this.#degraded.length > 0) yield '\n';
    const reasons = describeReasons(this.#degraded.flatMap((day) => day.reasons));
    for (const [name, meaning] of reasons) yield wrapLines(`${chalk.bold(name)}: ${meaning}\n`, columns);
    if (reasons.length > 0) yield '\n';
    yield* wrapList(formatTotals(series), columns).map((line) => `${line}\n`);
  }
}

function formatTotals(series: readonly AuditedSeries[]): string {
  const counts = CONDITIONS.map(({ meaning }) => {
    const count = series.reduce((sum, { counts }) => sum + (counts[meaning] ?? 0), 0);
    return `${formatInteger(count)} ${meaning}`;
  });
  return `${formatInteger(series.length)} series: ${counts.join(', ')}`;
}

function toCalendarDays(states: ReadonlyMap<Day, string>): { readonly first: Day; readonly states: string } {
  const days = [...states.keys()].sort((a, b) => a - b);
  const first = days[0] as Day;
  const last = days.at(-1) as Day;
  const cells = Array.from({ length: last - first + 1 }, (_, i) => states.get((first + i) as Day) ?? ' ');
  return { first, states: cells.join('') };
}

/** Width below which the table is narrowed: titles are marks, and symbols are shortened. */
const MIN_FULL_COLUMNS = 100;
const NARROW_SYMBOL_WIDTH = 15;

function formatSeriesTable(series: readonly AuditedSeries[], columns: number): string {
  const isNarrow = columns < MIN_FULL_COLUMNS;
  const counts = CONDITIONS.map(
    ({ cell, meaning }): TableColumn<AuditedSeries> => ({
      title: isNarrow ? cell : meaning,
      align: 'right',
      cell: ({ counts }) => formatInteger(counts[meaning] ?? 0),
    }),
  );
  const width = isNarrow ? NARROW_SYMBOL_WIDTH : Number.POSITIVE_INFINITY;
  return formatTable<AuditedSeries>(
    [
      { title: 'exchange', cell: ({ exchange }) => exchange },
      { title: 'type', cell: ({ dataType }) => dataType },
      { title: 'symbol', cell: ({ symbol }) => cutStart(sanitizeForTerminal(symbol), width) },
      ...counts,
      { title: 'rows', align: 'right', cell: ({ rows }) => formatCount(rows) },
    ],
    series,
    columns,
  );
}

function formatDegradedDay(
  { date, exchange, dataType, symbol, reasons, checks = {}, incidents }: AuditedDay,
  chalk: ChalkInstance,
): string {
  const details = reasons.map((name) => {
    const result = checks[name];
    return result ? `${name} ${formatResult(result)}` : `${name} ${incidents.length}`;
  });
  const names = sanitizeForTerminal(`${date} ${exchange} ${dataType} ${symbol}`);
  return `${chalk.yellow('degraded')} ${names}: ${details.join(', ')}\n`;
}

/** The count, and the total time where the check has one: `3 (4m12s)`. */
function formatResult({ count, seconds }: ContentResult): string {
  const number = formatInteger(count ?? 0);
  return seconds === undefined ? number : `${number} (${formatDuration(seconds * 1000)})`;
}

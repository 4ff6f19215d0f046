import type { ChalkInstance } from 'chalk';
import { sanitizeForTerminal } from '../../base/text.js';
import { formatCount, formatSize, plural } from '../../base/units.js';
import { addDays, formatDay } from '../../day-files/day.js';
import type { Coverage, CoverageTotals, SeriesCoverage } from '../../describe/coverage/coverage-facts.js';
import { sumTotals } from '../../describe/coverage/read-coverage.js';
import { type CalendarDays, type CalendarMarks, formatCalendar, formatLegend } from './calendar.js';
import { formatOutdated } from './format-events.js';
import { formatTable, type TableColumn } from './text/table.js';
import { cutStart, wrapList, wrapPieces } from './text/width.js';

export interface CoverageTextOptions {
  /** Width of the screen, in columns. */
  readonly columns: number;
  /** Without a terminal, nothing is shortened. */
  readonly isTerminal: boolean;
  readonly chalk: ChalkInstance;
  /** Show every line and calendar, even thousands. */
  readonly all: boolean;
}

const DAY_STATES: CalendarMarks = {
  marks: {
    p: { cell: '■', meaning: 'present', color: 'green' },
    e: { cell: '○', meaning: 'empty (no rows)', color: 'yellow' },
    m: { cell: '×', meaning: 'missing', color: 'redBright' },
  },
  absent: 'm',
};

/** The same if the last audit judged days degraded. */
const STATES_WITH_DEGRADED: CalendarMarks = {
  ...DAY_STATES,
  marks: { ...DAY_STATES.marks, d: { cell: '▲', meaning: 'degraded', color: 'yellow' } },
};

/** Above this number of symbols, the tables are by exchange and type only. */
const MAX_TABLE_SYMBOLS = 50;
/** Limits of the calendars shown. */
const MAX_CALENDARS = 20;
const MAX_CALENDAR_LINES = 200;

/** Formats the coverage as tables, calendars and totals. */
export function* formatCoverage(coverage: Coverage, options: CoverageTextOptions): Generator<string> {
  const { series, totals } = coverage;
  const groups = groupSeries(series);
  const columns = options.isTerminal ? options.columns : Number.POSITIVE_INFINITY;
  if (options.all || series.length <= MAX_TABLE_SYMBOLS) {
    for (const group of groups) {
      yield formatHeading([group.exchange, group.dataType], columns, options.chalk);
      yield `${formatSymbolTable(group.series, columns)}\n`;
    }
  } else yield `${formatGroupTable(groups, columns)}\n`;
  yield* formatCalendars(series, options);
  yield* formatTotals(totals, columns);
}

/** Formats the totals in one or two sentences. @param columns of the screen; infinite for no wrapping. */
export function* formatTotals(totals: CoverageTotals, columns: number): Generator<string> {
  const { exchanges, series, present, empty, missing, gone, rows, bytes, outdated, audited, degraded } =
    totals;
  const texts = [
    `${formatInteger(series)} series of ${plural(exchanges, 'exchange')}, ${plural(rows, 'row', formatCount(rows))}, ${formatSize(bytes)}`,
    `${plural(present, 'day', formatInteger(present))} present, ${formatInteger(empty)} empty, ${formatInteger(missing)} missing`,
    ...(gone > 0
      ? [
          `recorded, but missing on disk: ${plural(gone, 'day')}; tickhaul verify --repair downloads them again`,
        ]
      : []),
    ...(audited > 0
      ? [
          `${plural(audited, 'day', formatInteger(audited))} audited, ${formatInteger(degraded)} of them degraded`,
        ]
      : []),
    ...(outdated > 0 ? [formatOutdated(outdated)] : []),
  ];
  for (const line of texts.flatMap((text) => wrapList(text, columns))) yield `${line}\n`;
}

function* formatCalendars(
  series: readonly SeriesCoverage[],
  options: CoverageTextOptions,
): Generator<string> {
  const { chalk, columns, all } = options;
  const marks = series.some(({ degraded }) => degraded > 0) ? STATES_WITH_DEGRADED : DAY_STATES;
  yield* formatLegend(marks, columns, chalk);
  const isCut = !all && series.length > MAX_CALENDARS;
  if (isCut) yield 'series with the most missing days first\n';
  let lines = 0;
  let shown = 0;
  for (const one of isCut ? sortByMissingDays(series) : series) {
    const calendar = formatCalendar(markDegraded(one), marks, columns, chalk);
    lines += calendar.length + 2;
    if (!all && shown > 0 && (shown === MAX_CALENDARS || lines > MAX_CALENDAR_LINES)) break;
    const { exchange, dataType, symbol } = one;
    yield `\n${formatHeading([exchange, dataType, symbol], columns, chalk)}`;
    yield* calendar;
    shown++;
  }
  const rest = series.length - shown;
  yield rest === 0
    ? '\n'
    : `\n${formatInteger(rest)} more series: choose with --exchange, -t and -s (as -s "BTC*"),\nshow all with --all, or write a page with --html\n\n`;
}

function markDegraded({ first, states, degradedDays }: SeriesCoverage): CalendarDays {
  const marked = [...states];
  for (const { day } of degradedDays) marked[day - first] = 'd';
  return { first, states: marked.join('') };
}

function formatHeading(words: readonly string[], columns: number, chalk: ChalkInstance): string {
  return wrapPieces(words.map(sanitizeForTerminal), columns)
    .map((line) => `${chalk.bold(line)}\n`)
    .join('');
}

/** Sorts series with the most missing days first, for output that does not show all. */
function sortByMissingDays(series: readonly SeriesCoverage[]): readonly SeriesCoverage[] {
  return [...series].sort((a, b) => b.missing - a.missing);
}

/** Groups series by exchange and data type. @param series sorted by both. */
function groupSeries(series: readonly SeriesCoverage[]): readonly SeriesGroup[] {
  const groups = new Map<string, SeriesCoverage[]>();
  for (const one of series) {
    const key = JSON.stringify([one.exchange, one.dataType]);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first
      ? [{ exchange: first.exchange, dataType: first.dataType, series: group, totals: sumTotals(group) }]
      : [];
  });
}

/** Width in columns below which tables are narrowed. */
const MIN_FULL_COLUMNS = 90;
/** Width of symbols in a narrow table. */
const NARROW_SYMBOL_WIDTH = 15;

type Counts = Pick<CoverageTotals, 'present' | 'empty' | 'missing' | 'rows' | 'bytes'>;

const COUNTS: readonly TableColumn<Counts>[] = [
  { title: 'present', align: 'right', cell: ({ present }) => formatInteger(present) },
  { title: 'empty', align: 'right', cell: ({ empty }) => formatInteger(empty) },
  { title: 'missing', align: 'right', cell: ({ missing }) => formatInteger(missing) },
  { title: 'rows', align: 'right', cell: ({ rows }) => formatCount(rows) },
  { title: 'size', align: 'right', cell: ({ bytes }) => formatSize(bytes) },
];

/** The symbols of one exchange and data type. */
function formatSymbolTable(series: readonly SeriesCoverage[], screenColumns: number): string {
  const width = screenColumns < MIN_FULL_COLUMNS ? NARROW_SYMBOL_WIDTH : Number.POSITIVE_INFINITY;
  return formatTable<SeriesCoverage>(
    [
      { title: 'symbol', cell: ({ symbol }) => cutStart(sanitizeForTerminal(symbol), width) },
      { title: 'first day', cell: ({ first }) => formatDay(first) },
      { title: 'last day', cell: ({ first, states }) => formatDay(addDays(first, states.length - 1)) },
      ...COUNTS,
    ],
    series,
    screenColumns,
  );
}

/** All symbols of an exchange and data type. */
export interface SeriesGroup {
  readonly exchange: string;
  readonly dataType: string;
  readonly series: readonly SeriesCoverage[];
  readonly totals: CoverageTotals;
}

function formatGroupTable(groups: readonly SeriesGroup[], screenColumns: number): string {
  return formatTable<CoverageTotals & Omit<SeriesGroup, 'series'>>(
    [
      { title: 'exchange', cell: ({ exchange }) => sanitizeForTerminal(exchange) },
      { title: 'type', cell: ({ dataType }) => sanitizeForTerminal(dataType) },
      { title: 'symbols', align: 'right', cell: ({ series }) => formatInteger(series) },
      ...COUNTS.filter(({ title }) => title !== 'rows' || screenColumns >= MIN_FULL_COLUMNS),
    ],
    groups.map((group) => ({ ...group, ...group.totals })),
    screenColumns,
  );
}

/** Formats an integer as `1,234`. */
export function formatInteger(number: number): string {
  return number.toLocaleString('en');
}

import type { ChalkInstance } from 'chalk';
import { printable } from '../../../base/printable.js';
import { formatCount, formatSize, plural } from '../../../base/units.js';
import { totalsOf } from '../../../coverage/read.js';
import type { Coverage, CoverageTotals, SeriesCoverage } from '../../../coverage/types.js';
import { outdatedText } from '../messages.js';
import { wrapList, wrapPieces } from '../text/wrap.js';
import { calendarLines, legendLines } from './calendar.js';
import { count, groupTable, type SeriesGroup, symbolTable } from './tables.js';

export interface CoverageTextOptions {
  /** Columns of the screen. */
  readonly columns: number;
  /** Elsewhere than on a terminal nothing is shortened to fit. */
  readonly isTerminal: boolean;
  readonly chalk: ChalkInstance;
  /** Every line and calendar, were they thousands. */
  readonly all: boolean;
}

/** More symbols are told of by exchange and type only. */
const MOST_SYMBOLS = 50;
/** So many calendars, as long as they fit into so many lines. */
const MOST_CALENDARS = 20;
const MOST_LINES = 200;

/** What there is, for people: tables, calendars, and what it comes to. */
export function* coverageText(coverage: Coverage, options: CoverageTextOptions): Generator<string> {
  const { series, totals } = coverage;
  const groups = groupsOf(series);
  const columns = options.isTerminal ? options.columns : Number.POSITIVE_INFINITY;
  if (options.all || series.length <= MOST_SYMBOLS) {
    for (const group of groups) {
      yield headingText([group.exchange, group.dataType], columns, options.chalk);
      yield `${symbolTable(group.series, columns)}\n`;
    }
  } else yield `${groupTable(groups, columns)}\n`;
  yield* calendars(series, options);
  yield* totalsLines(totals, columns);
}

/** What it comes to, in a line or two. @param columns of the screen; infinite where nothing is wrapped. */
export function* totalsLines(totals: CoverageTotals, columns: number): Generator<string> {
  const { exchanges, series, present, empty, missing, gone, rows, bytes, outdated } = totals;
  const texts = [
    `${count(series)} series of ${plural(exchanges, 'exchange')}, ${plural(rows, 'row', formatCount(rows))}, ${formatSize(bytes)}`,
    `${plural(present, 'day', count(present))} present, ${count(empty)} empty, ${count(missing)} missing`,
    ...(gone > 0
      ? [
          `recorded, but gone from the disk: ${plural(gone, 'day')}; tickhaul verify --repair brings them again`,
        ]
      : []),
    ...(outdated > 0 ? [outdatedText(outdated)] : []),
  ];
  for (const line of texts.flatMap((text) => wrapList(text, columns))) yield `${line}\n`;
}

function* calendars(series: readonly SeriesCoverage[], options: CoverageTextOptions): Generator<string> {
  const { chalk, columns, all } = options;
  yield* legendLines(columns, chalk);
  const isCut = !all && series.length > MOST_CALENDARS;
  if (isCut) yield 'series with the most missing days first\n';
  let lines = 0;
  let shown = 0;
  for (const one of isCut ? worstFirst(series) : series) {
    const calendar = calendarLines(one, columns, chalk);
    lines += calendar.length + 2;
    if (!all && shown > 0 && (shown === MOST_CALENDARS || lines > MOST_LINES)) break;
    const { exchange, dataType, symbol } = one;
    yield `\n${headingText([exchange, dataType, symbol], columns, chalk)}`;
    yield* calendar;
    shown++;
  }
  const rest = series.length - shown;
  yield rest === 0
    ? '\n'
    : `\n${count(rest)} more series: choose with --exchange, -t and -s (as -s "BTC*"),\nsee all with --all, or look through a page with --html\n\n`;
}

function headingText(words: readonly string[], columns: number, chalk: ChalkInstance): string {
  return wrapPieces(words.map(printable), columns)
    .map((line) => `${chalk.bold(line)}\n`)
    .join('');
}

/** Where not all are shown, those with missing days are looked for. */
function worstFirst(series: readonly SeriesCoverage[]): readonly SeriesCoverage[] {
  return [...series].sort((a, b) => b.missing - a.missing);
}

/** @param series sorted by exchange and data type. */
function groupsOf(series: readonly SeriesCoverage[]): readonly SeriesGroup[] {
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
      ? [{ exchange: first.exchange, dataType: first.dataType, series: group, totals: totalsOf(group) }]
      : [];
  });
}

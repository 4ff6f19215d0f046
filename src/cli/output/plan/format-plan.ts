import type { ChalkInstance } from 'chalk';
import { sanitizeForTerminal } from '../../../base/sanitize-for-terminal.js';
import { formatSize, plural } from '../../../base/units.js';
import { formatDay } from '../../../dataset/day.js';
import type { PlanStatus } from '../../../run/run-events.js';
import { textWidth } from '../text/width.js';
import { wrapPieces } from '../text/wrap.js';
import type { DaySpan, SeriesDays, StatusDays } from './series-days.js';

export interface PlanTextOptions {
  /** Of the screen; infinite where nothing is to be wrapped. */
  readonly columns: number;
  readonly chalk: ChalkInstance;
}

/** Series whose columns are aligned with each other: a plan may have hundreds of thousands. */
const BLOCK = 200;
const GAP = '  ';
/** `2024-03-01 to 2024-03-08`. */
const SPAN_WIDTH = 24;

/** A plan for people: a heading for each data type, below it the days of each symbol by status. */
export function* formatPlan(all: Iterable<SeriesDays>, options: PlanTextOptions): Generator<string> {
  let heading: string | undefined;
  let block: SeriesDays[] = [];
  for (const series of all) {
    const own = `${series.exchange} ${series.dataType}`;
    if (own !== heading || block.length === BLOCK) {
      yield blockText(block, options);
      block = [];
    }
    if (own !== heading)
      yield `${heading === undefined ? '' : '\n'}${options.chalk.bold(sanitizeForTerminal(own))}\n`;
    heading = own;
    block.push(series);
  }
  yield blockText(block, options);
}

/** A line's cells but for the days. */
interface Line {
  readonly symbol: string;
  readonly status: PlanStatus;
  readonly days: string;
  readonly size: string;
  readonly spans: readonly string[];
}

function blockText(block: readonly SeriesDays[], { columns, chalk }: PlanTextOptions): string {
  const lines = block.flatMap((series) => series.statuses.map((status, i) => lineOf(series, status, i)));
  const symbols = lines.reduce((most, { symbol }) => Math.max(most, textWidth(symbol)), 0);
  const widest = (cell: (line: Line) => string): number =>
    lines.reduce((most, line) => Math.max(most, cell(line).length), 0);
  const statuses = widest(({ status }) => status);
  const days = widest((line) => line.days);
  const sizes = widest(({ size }) => size);
  const cells = ({ status, days: count, size }: Line): string => {
    const before = `${colored(status, chalk)}${' '.repeat(statuses - status.length)}${GAP}${count.padStart(days)}`;
    return sizes > 0 ? `${before}${GAP}${size.padStart(sizes)}` : before;
  };
  const before = GAP.length * 4 + symbols + statuses + days + (sizes > 0 ? sizes + GAP.length : 0);
  if (before + SPAN_WIDTH <= columns) {
    const indent = ' '.repeat(before);
    return lines
      .map((line) => {
        const symbol = line.symbol + ' '.repeat(symbols - textWidth(line.symbol));
        const spans = wrapped(line.spans, columns - before).join(`\n${indent}`);
        return `${GAP}${symbol}${GAP}${cells(line)}${GAP}${spans}\n`;
      })
      .join('');
  }
  // Where the screen is narrow, the days go below.
  const indent = GAP.repeat(3);
  return lines
    .map((line) => {
      const spans = wrapped(line.spans, columns - indent.length).map((text) => `${indent}${text}\n`);
      const symbol = line.symbol === '' ? '' : `${GAP}${line.symbol}\n`;
      return `${symbol}${GAP}${GAP}${cells(line).trimEnd()}\n${spans.join('')}`;
    })
    .join('');
}

/** Neighbours mostly are expected to be of one size, and to write a number takes its time. */
let sized = { bytes: 0, text: '' };

function lineOf(
  { symbol }: SeriesDays,
  { status, days, bytes, spans, leftOut }: StatusDays,
  i: number,
): Line {
  const texts = spans.map(spanText);
  if (bytes !== sized.bytes) sized = { bytes, text: bytes === 0 ? '' : `~${formatSize(bytes)}` };
  if (leftOut > 0) texts.splice(-1, 0, `${leftOut} more`);
  return {
    symbol: i === 0 ? sanitizeForTerminal(symbol) : '',
    status,
    days: plural(days, 'day'),
    size: sized.text,
    spans: texts,
  };
}

function spanText({ first, last }: DaySpan): string {
  return first === last ? formatDay(first) : `${formatDay(first)} to ${formatDay(last)}`;
}

/** Texts in lines, with commas between them; none is broken. */
function wrapped(texts: readonly string[], columns: number): readonly string[] {
  if (texts.length === 1) return texts;
  const last = texts.length - 1;
  return wrapPieces(
    texts.map((text, i) => (i === last ? text : `${text},`)),
    columns,
  );
}

function colored(status: PlanStatus, chalk: ChalkInstance): string {
  if (chalk.level === 0) return status;
  if (status === 'download' || status === 'resume') return chalk.green(status);
  if (status === 'skip') return chalk.dim(status);
  return status === 'unauthorized' ? chalk.red(status) : chalk.yellow(status);
}

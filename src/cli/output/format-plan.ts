import type { ChalkInstance } from 'chalk';
import { sanitizeForTerminal } from '../../base/text.js';
import { formatSize, plural } from '../../base/units.js';
import { type Day, formatDay } from '../../day-files/day.js';
import type { PlannedFile } from '../../download/download-options.js';
import { type EstimateSize, knownBytes } from '../../download/plan/size-estimator.js';
import type { PlanStatus } from '../../events/run-events.js';
import { textWidth, wrapPieces } from './text/width.js';

export interface PlanTextOptions {
  /** Columns of the screen; infinite for no wrapping. */
  readonly columns: number;
  readonly chalk: ChalkInstance;
}

/** Series whose columns are aligned together; a plan may have hundreds of thousands. */
const BLOCK_SERIES = 200;
const GAP = '  ';
/** `2024-03-01 to 2024-03-08`. */
const SPAN_WIDTH = 24;

/** Formats a plan: a heading per data type, then the days of each symbol by status. */
export function* formatPlan(allSeries: Iterable<SeriesDays>, options: PlanTextOptions): Generator<string> {
  let heading: string | undefined;
  let block: SeriesDays[] = [];
  for (const series of allSeries) {
    const ownHeading = `${series.exchange} ${series.dataType}`;
    if (ownHeading !== heading || block.length === BLOCK_SERIES) {
      yield formatBlock(block, options);
      block = [];
    }
    if (ownHeading !== heading)
      yield `${heading === undefined ? '' : '\n'}${options.chalk.bold(sanitizeForTerminal(ownHeading))}\n`;
    heading = ownHeading;
    block.push(series);
  }
  yield formatBlock(block, options);
}

/** The cells of a line without the days. */
interface Line {
  readonly symbol: string;
  readonly status: PlanStatus;
  readonly days: string;
  readonly size: string;
  readonly spans: readonly string[];
}

function formatBlock(block: readonly SeriesDays[], { columns, chalk }: PlanTextOptions): string {
  const lines = block.flatMap((series) => series.statuses.map((status, i) => createLine(series, status, i)));
  const symbols = lines.reduce((widest, { symbol }) => Math.max(widest, textWidth(symbol)), 0);
  const widest = (cell: (line: Line) => string): number =>
    lines.reduce((widest, line) => Math.max(widest, cell(line).length), 0);
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
        const spans = wrapSpans(line.spans, columns - before).join(`\n${indent}`);
        return `${GAP}${symbol}${GAP}${cells(line)}${GAP}${spans}\n`;
      })
      .join('');
  }
  // On a narrow screen, the days are below.
  const indent = GAP.repeat(3);
  return lines
    .map((line) => {
      const spans = wrapSpans(line.spans, columns - indent.length).map((text) => `${indent}${text}\n`);
      const symbol = line.symbol === '' ? '' : `${GAP}${line.symbol}\n`;
      return `${symbol}${GAP}${GAP}${cells(line).trimEnd()}\n${spans.join('')}`;
    })
    .join('');
}

/** The last formatted size: adjacent series often have equal estimates, and formatting numbers is slow. */
let lastSize = { bytes: 0, text: '' };

function createLine(
  { symbol }: SeriesDays,
  { status, days, bytes, spans, leftOut }: StatusDays,
  i: number,
): Line {
  const texts = spans.map(formatSpan);
  if (bytes !== lastSize.bytes) lastSize = { bytes, text: bytes === 0 ? '' : `~${formatSize(bytes)}` };
  if (leftOut > 0) texts.splice(-1, 0, `${leftOut} more`);
  return {
    symbol: i === 0 ? sanitizeForTerminal(symbol) : '',
    status,
    days: plural(days, 'day'),
    size: lastSize.text,
    spans: texts,
  };
}

function formatSpan({ first, last }: DaySpan): string {
  return first === last ? formatDay(first) : `${formatDay(first)} to ${formatDay(last)}`;
}

/** Joins texts with commas, wrapped between them. */
function wrapSpans(texts: readonly string[], columns: number): readonly string[] {
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

/** Consecutive days of a plan, both included. */
export interface DaySpan {
  readonly first: Day;
  readonly last: Day;
}

/** The days of a series with one status. */
export interface StatusDays {
  readonly status: PlanStatus;
  readonly days: number;
  /** Expected bytes of the days to download; 0 if there are none, or their size is unknown. */
  readonly bytes: number;
  /** The first spans and the last one, in order. */
  readonly spans: readonly DaySpan[];
  /** Number of spans omitted before the last one. */
  readonly leftOut: number;
}

/** The planned days of one data type and symbol. */
export interface SeriesDays {
  readonly exchange: string;
  readonly dataType: string;
  readonly symbol: string;
  /** Sorted by their first day. */
  readonly statuses: readonly StatusDays[];
}

/** Spans kept per status: a key may cover only the first day of each month. */
const MAX_SPANS = 4;

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

interface MutableStatus extends Mutable<Omit<StatusDays, 'spans'>> {
  readonly spans: Mutable<DaySpan>[];
  newest: Mutable<DaySpan>;
}

/** Groups planned files, sorted by series and day, in constant memory. */
export function* groupSeriesDays(files: Iterable<PlannedFile>, sizeOf: EstimateSize): Generator<SeriesDays> {
  let series: (PlannedFile['file'] & { readonly statuses: MutableStatus[] }) | undefined;
  let previousStatus: PlanStatus | undefined;
  for (const planned of files) {
    const { file, status, action } = planned;
    const { exchange, dataType, symbol, day } = file;
    const isSame = symbol === series?.symbol && dataType === series.dataType && exchange === series.exchange;
    if (!series || !isSame) {
      if (series) yield series;
      series = { exchange, dataType, symbol, day, statuses: [] };
      previousStatus = undefined;
    }
    const bytes = action === 'fetch' ? knownBytes(sizeOf(planned)) : 0;
    const sameStatus = series.statuses.find((entry) => entry.status === status);
    if (!sameStatus) {
      const newest = { first: day, last: day };
      series.statuses.push({ status, days: 1, bytes, spans: [newest], leftOut: 0, newest });
    } else {
      if (previousStatus === status) sameStatus.newest.last = day;
      else startSpan(sameStatus, day);
      sameStatus.days++;
      sameStatus.bytes += bytes;
    }
    previousStatus = status;
  }
  if (series) yield series;
}

function startSpan(entry: MutableStatus, day: Day): void {
  entry.newest = { first: day, last: day };
  if (entry.spans.length > MAX_SPANS) {
    entry.spans.pop();
    entry.leftOut++;
  }
  entry.spans.push(entry.newest);
}

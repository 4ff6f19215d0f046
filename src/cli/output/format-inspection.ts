import { sanitizeForTerminal } from '../../base/text.js';
import { formatDuration, formatSize, plural } from '../../base/units.js';
import { parseSources } from '../../convert/provenance.js';
import type { Cell, InspectedColumn, Inspection } from '../../describe/inspect-file.js';
import { type OutputScreen, screenColumns, textColumns } from './text/screen.js';
import { formatPairs, formatTable, type TableColumn } from './text/table.js';
import { cutToWidth, textWidth, wrapList } from './text/width.js';

/** Maximum width of a cell, in columns. */
const MAX_CELL_WIDTH = 40;
/** Maximum width on a narrow terminal: a time of day, or day, hour and minute of a time. */
const NARROW_CELL_WIDTH = 18;
/** Above MAX_COLUMNS columns, only the first SHORT_COLUMNS are shown with their rows. */
const MAX_COLUMNS = 40;
const SHORT_COLUMNS = 20;

/** Style of cells: their maximum width, the day that times omit, and the width of the whole table. */
interface CellStyle {
  readonly screen: number;
  readonly longest: number;
  /** `YYYY-MM-DD`. */
  readonly day: string | undefined;
}

/** Formats an inspection as text. Without a terminal, nothing is shortened. */
export function formatInspection(inspection: Inspection, stdout: OutputScreen): string {
  const { columns, first, last, rows, unread } = inspection;
  const screen = screenColumns(stdout);
  const width = textColumns(stdout);
  const day = inspection.timeRange && formatTimeUs(inspection.timeRange.from).slice(0, 10);
  const parts = [
    formatPairs(listFacts(inspection), width),
    formatColumns(columns, day, width),
    unread === undefined
      ? ''
      : `rows are not shown, because their data cannot be read: ${sanitizeForTerminal(unread)}\n`,
    formatRows(columns, first, last, screen) ??
      formatTransposed({ columns, first, last, rows }, day, screen, width),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function listFacts(inspection: Inspection): (readonly [string, string | undefined])[] {
  const { metadata = {}, timeRange, largestGap, outOfOrder } = inspection;
  const pairs: (readonly [string, string | undefined])[] = [
    ['file', inspection.path],
    ['size', formatSize(inspection.bytes)],
    ['data type', inspection.dataType ?? metadata['tickhaul.data_type']],
    ['rows', inspection.rows.toLocaleString('en')],
    ['row groups', inspection.rowGroups?.toLocaleString('en')],
    ['made from', metadata['tickhaul.source'] ?? describeSources(metadata)],
    ['its md5', metadata['tickhaul.source_md5']],
    ['from', timeRange && formatTimeUs(timeRange.from)],
    ['to', timeRange && formatTimeUs(timeRange.to)],
    [
      'largest gap',
      largestGap && `${formatGap(largestGap.microseconds)} after ${formatTimeUs(largestGap.from)}`,
    ],
    [
      'out of order',
      outOfOrder === undefined ? undefined : plural(outOfOrder, 'row', outOfOrder.toLocaleString('en')),
    ],
  ];
  return pairs.map(([name, value]) => [name, value && sanitizeForTerminal(value)]);
}

/** The day files of an output of several. */
function describeSources(metadata: Readonly<Record<string, string>>): string | undefined {
  const sources = parseSources(metadata);
  const [first, last] = [sources[0], sources.at(-1)];
  return first && last && `${plural(sources.length, 'day file')}, ${first.name} to ${last.name}`;
}

/** Gaps are usually too short for `formatDuration`. */
function formatGap(micros: number): string {
  return micros < 1e6 ? `${micros / 1000} ms` : formatDuration(micros / 1000);
}

function formatColumns(columns: readonly InspectedColumn[], day: string | undefined, width: number): string {
  const table = (style: CellStyle): string =>
    formatTable<InspectedColumn>(
      [
        { title: 'column', cell: ({ name }) => sanitizeForTerminal(name) },
        { title: 'type', cell: ({ type }) => sanitizeForTerminal(type) },
        { title: 'nulls', align: 'right', cell: ({ nulls }) => nulls?.toLocaleString('en') ?? '?' },
        { title: 'min', cell: ({ min, type }) => formatCell(min, type, style) },
        { title: 'max', cell: ({ max, type }) => formatCell(max, type, style) },
      ],
      columns,
      style.screen,
    );
  return fitTable(table, day, width);
}

/** First and last rows below each other; undefined if the lines are too long for the screen. */
function formatRows(
  columns: readonly InspectedColumn[],
  first: readonly (readonly Cell[])[],
  last: readonly (readonly Cell[])[],
  width: number,
): string | undefined {
  const style = { screen: Number.POSITIVE_INFINITY, longest: MAX_CELL_WIDTH, day: undefined };
  const table = (title: string, rows: readonly (readonly Cell[])[]): string => {
    const cells = columns.map(
      ({ name, type }, i): TableColumn<readonly Cell[]> => ({
        title: sanitizeForTerminal(name),
        cell: (row) => formatCell(row[i], type, style),
      }),
    );
    return rows.length === 0 ? '' : `${title}\n${formatTable(cells, rows)}`;
  };
  const tables = [table('first rows', first), table('last rows', last)].filter((text) => text !== '');
  return tables.every((text) => measureWidth(text) <= width) ? tables.join('\n') : undefined;
}

/** Some of the first and last rows side by side, with one line per column. */
function formatTransposed(
  { columns, first, last, rows }: Pick<Inspection, 'columns' | 'first' | 'last' | 'rows'>,
  day: string | undefined,
  screen: number,
  width: number,
): string {
  const shownColumns = columns.length > MAX_COLUMNS ? SHORT_COLUMNS : columns.length;
  const names = columns.slice(0, shownColumns).map(({ name }) => textWidth(name));
  const maxRows = Math.max(2, Math.floor((screen - Math.max(...names)) / (NARROW_CELL_WIDTH + 2)));
  const lasts = last.slice(Math.max(0, last.length - Math.floor(maxRows / 2)));
  const firsts = first.slice(0, maxRows - lasts.length);
  const numbered = [
    ...firsts.map((row, i) => ({ row, number: i + 1 })),
    ...lasts.map((row, i) => ({ row, number: rows - lasts.length + i + 1 })),
  ];
  const table = (style: CellStyle): string =>
    formatTable<number>(
      [
        { title: 'column', cell: (i) => sanitizeForTerminal(columns[i]?.name ?? '') },
        ...numbered.map(({ row, number }) => ({
          title: `row ${number.toLocaleString('en')}`,
          cell: (i: number) => formatCell(row[i], columns[i]?.type ?? '', style),
        })),
      ],
      [...names.keys()],
      style.screen,
    );
  const rest = columns.length - shownColumns;
  const note = wrapList(`… and ${plural(rest, 'more column')}; --json shows all`, width);
  const more = rest === 0 ? '' : `${note.join('\n')}\n`;
  return fitTable(table, day, width) + more;
}

/** The table with full cells, or with shortened ones if it would be too wide. */
function fitTable(table: (style: CellStyle) => string, day: string | undefined, width: number): string {
  const whole = table({ screen: Number.POSITIVE_INFINITY, longest: MAX_CELL_WIDTH, day: undefined });
  return measureWidth(whole) <= width ? whole : table({ screen: width, longest: NARROW_CELL_WIDTH, day });
}

function measureWidth(text: string): number {
  return text.split('\n').reduce((widest, line) => Math.max(widest, textWidth(line)), 0);
}

function formatCell(cell: Cell | undefined, type: string, { longest, day }: CellStyle): string {
  if (cell === undefined || cell === null) return '';
  const isTime = type === 'timestamp' && typeof cell === 'number';
  const text = isTime ? formatTimeUs(cell) : sanitizeForTerminal(String(cell));
  if (textWidth(text) <= longest) return text;
  if (isTime && day !== undefined && text.startsWith(day)) return formatTimeOfDay(text);
  return `${cutToWidth(text, longest - 1)}…`;
}

/** Formats microseconds since the epoch as ISO 8601 with six decimals; out of range, as a number. */
function formatTimeUs(micros: number): string {
  const seconds = Math.floor(micros / 1e6);
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return String(micros);
  return `${date.toISOString().slice(0, -5)}.${String(micros - seconds * 1e6).padStart(6, '0')}Z`;
}

/** The time of day, `00:00:00.123456`, of a result of `formatTimeUs`. */
function formatTimeOfDay(iso: string): string {
  return iso.slice(11, -1);
}

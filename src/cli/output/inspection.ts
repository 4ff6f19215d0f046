import { printable } from '../../base/printable.js';
import { formatDuration, formatSize, plural } from '../../base/units.js';
import type { Cell, InspectedColumn, Inspection } from '../../inspect/index.js';
import type { Screen } from '../arguments/types.js';
import { screenColumns, textColumns } from './text/screen.js';
import { type Column, formatPairs, formatTable } from './text/table.js';
import { formatMicros, timeOfDay } from './text/times.js';
import { cutToWidth, textWidth } from './text/width.js';
import { wrapList } from './text/wrap.js';

/** The longest text of a cell, in columns of the screen. */
const LONGEST = 40;
/** On a narrow terminal: a time of day, or the day, hour and minute of a time. */
const NARROW = 18;
/** Of a wide table so many columns are shown with their rows. */
const MOST_COLUMNS = 40;
const SOME_COLUMNS = 20;

/** How cells are written: at most so wide, times of this day without it; and the width of all of them together. */
interface CellStyle {
  readonly screen: number;
  readonly longest: number;
  /** `YYYY-MM-DD`. */
  readonly day: string | undefined;
}

/** What a file holds, for people. Elsewhere than on a terminal nothing is shortened to fit. */
export function inspectionText(inspection: Inspection, stdout: Screen): string {
  const { columns, first, last, rows, unread } = inspection;
  const screen = screenColumns(stdout);
  const width = textColumns(stdout);
  const day = inspection.timeRange && formatMicros(inspection.timeRange.from).slice(0, 10);
  const parts = [
    formatPairs(factPairs(inspection), width),
    columnTable(columns, day, width),
    unread === undefined
      ? ''
      : `rows are not shown, since their data can't be read here: ${printable(unread)}\n`,
    rowTables(columns, first, last, screen) ??
      turnedTable({ columns, first, last, rows }, day, screen, width),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function factPairs(inspection: Inspection): (readonly [string, string | undefined])[] {
  const { metadata = {}, timeRange, largestGap, outOfOrder } = inspection;
  const pairs: (readonly [string, string | undefined])[] = [
    ['file', inspection.path],
    ['size', formatSize(inspection.bytes)],
    ['data type', inspection.dataType ?? metadata['tickhaul.data_type']],
    ['rows', inspection.rows.toLocaleString('en')],
    ['row groups', inspection.rowGroups?.toLocaleString('en')],
    ['made from', metadata['tickhaul.source']],
    ['its md5', metadata['tickhaul.source_md5']],
    ['from', timeRange && formatMicros(timeRange.from)],
    ['to', timeRange && formatMicros(timeRange.to)],
    [
      'largest gap',
      largestGap && `${formatGap(largestGap.microseconds)} after ${formatMicros(largestGap.from)}`,
    ],
    [
      'out of order',
      outOfOrder === undefined ? undefined : plural(outOfOrder, 'row', outOfOrder.toLocaleString('en')),
    ],
  ];
  return pairs.map(([name, value]) => [name, value && printable(value)]);
}

/** Gaps are mostly shorter than what `formatDuration` tells apart. */
function formatGap(micros: number): string {
  return micros < 1e6 ? `${micros / 1000} ms` : formatDuration(micros / 1000);
}

function columnTable(columns: readonly InspectedColumn[], day: string | undefined, width: number): string {
  const table = (style: CellStyle): string =>
    formatTable<InspectedColumn>(
      [
        { title: 'column', cell: ({ name }) => printable(name) },
        { title: 'type', cell: ({ type }) => printable(type) },
        { title: 'nulls', align: 'right', cell: ({ nulls }) => nulls?.toLocaleString('en') ?? '?' },
        { title: 'min', cell: ({ min, type }) => formatCell(min, type, style) },
        { title: 'max', cell: ({ max, type }) => formatCell(max, type, style) },
      ],
      columns,
      style.screen,
    );
  return fitted(table, day, width);
}

/** First and last rows below one another; undefined where the lines are too long for the screen. */
function rowTables(
  columns: readonly InspectedColumn[],
  first: readonly (readonly Cell[])[],
  last: readonly (readonly Cell[])[],
  width: number,
): string | undefined {
  const style = { screen: Number.POSITIVE_INFINITY, longest: LONGEST, day: undefined };
  const table = (title: string, rows: readonly (readonly Cell[])[]): string => {
    const cells = columns.map(
      ({ name, type }, i): Column<readonly Cell[]> => ({
        title: printable(name),
        cell: (row) => formatCell(row[i], type, style),
      }),
    );
    return rows.length === 0 ? '' : `${title}\n${formatTable(cells, rows)}`;
  };
  const tables = [table('first rows', first), table('last rows', last)].filter((text) => text !== '');
  return tables.every((text) => widthOf(text) <= width) ? tables.join('\n') : undefined;
}

/** Some of the first and the last rows side by side, a line a column. */
function turnedTable(
  { columns, first, last, rows }: Pick<Inspection, 'columns' | 'first' | 'last' | 'rows'>,
  day: string | undefined,
  screen: number,
  width: number,
): string {
  const shown = columns.length > MOST_COLUMNS ? SOME_COLUMNS : columns.length;
  const names = columns.slice(0, shown).map(({ name }) => textWidth(name));
  const most = Math.max(2, Math.floor((screen - Math.max(...names)) / (NARROW + 2)));
  const lasts = last.slice(Math.max(0, last.length - Math.floor(most / 2)));
  const firsts = first.slice(0, most - lasts.length);
  const numbered = [
    ...firsts.map((row, i) => ({ row, number: i + 1 })),
    ...lasts.map((row, i) => ({ row, number: rows - lasts.length + i + 1 })),
  ];
  const table = (style: CellStyle): string =>
    formatTable<number>(
      [
        { title: 'column', cell: (i) => printable(columns[i]?.name ?? '') },
        ...numbered.map(({ row, number }) => ({
          title: `row ${number.toLocaleString('en')}`,
          cell: (i: number) => formatCell(row[i], columns[i]?.type ?? '', style),
        })),
      ],
      [...names.keys()],
      style.screen,
    );
  const rest = columns.length - shown;
  const told = wrapList(`… and ${plural(rest, 'more column')}, all of which --json shows`, width);
  const more = rest === 0 ? '' : `${told.join('\n')}\n`;
  return fitted(table, day, width) + more;
}

/** The table with whole cells, or with short ones where it would be too wide. */
function fitted(table: (style: CellStyle) => string, day: string | undefined, width: number): string {
  const whole = table({ screen: Number.POSITIVE_INFINITY, longest: LONGEST, day: undefined });
  return widthOf(whole) <= width ? whole : table({ screen: width, longest: NARROW, day });
}

function widthOf(text: string): number {
  return text.split('\n').reduce((widest, line) => Math.max(widest, textWidth(line)), 0);
}

function formatCell(cell: Cell | undefined, type: string, { longest, day }: CellStyle): string {
  if (cell === undefined || cell === null) return '';
  const isTime = type === 'timestamp' && typeof cell === 'number';
  const text = isTime ? formatMicros(cell) : printable(String(cell));
  if (textWidth(text) <= longest) return text;
  if (isTime && day !== undefined && text.startsWith(day)) return timeOfDay(text);
  return `${cutToWidth(text, longest - 1)}…`;
}

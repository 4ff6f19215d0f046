import { sanitizeForTerminal } from '../../../base/sanitize-for-terminal.js';
import { formatCount, formatSize } from '../../../base/units.js';
import type { CoverageTotals, SeriesCoverage } from '../../../coverage/coverage-facts.js';
import { addDays, formatDay } from '../../../dataset/day.js';
import { formatTable, type TableColumn } from '../text/table.js';
import { cutStart } from '../text/width.js';

/** Columns that a screen needs for all of a table. */
const NARROW = 90;
/** A symbol that a narrower one has room for. */
const NARROW_SYMBOL = 15;

type Counts = Pick<CoverageTotals, 'present' | 'empty' | 'missing' | 'rows' | 'bytes'>;

const COUNTS: readonly TableColumn<Counts>[] = [
  { title: 'present', align: 'right', cell: ({ present }) => formatInteger(present) },
  { title: 'empty', align: 'right', cell: ({ empty }) => formatInteger(empty) },
  { title: 'missing', align: 'right', cell: ({ missing }) => formatInteger(missing) },
  { title: 'rows', align: 'right', cell: ({ rows }) => formatCount(rows) },
  { title: 'size', align: 'right', cell: ({ bytes }) => formatSize(bytes) },
];

/** The symbols of one exchange and data type. */
export function formatSymbolTable(series: readonly SeriesCoverage[], screenColumns: number): string {
  const width = screenColumns < NARROW ? NARROW_SYMBOL : Number.POSITIVE_INFINITY;
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

/** All symbols of an exchange and data type, taken together. */
export interface SeriesGroup {
  readonly exchange: string;
  readonly dataType: string;
  readonly series: readonly SeriesCoverage[];
  readonly totals: CoverageTotals;
}

export function formatGroupTable(groups: readonly SeriesGroup[], screenColumns: number): string {
  return formatTable<CoverageTotals & Omit<SeriesGroup, 'series'>>(
    [
      { title: 'exchange', cell: ({ exchange }) => sanitizeForTerminal(exchange) },
      { title: 'type', cell: ({ dataType }) => sanitizeForTerminal(dataType) },
      { title: 'symbols', align: 'right', cell: ({ series }) => formatInteger(series) },
      ...COUNTS.filter(({ title }) => title !== 'rows' || screenColumns >= NARROW),
    ],
    groups.map((group) => ({ ...group, ...group.totals })),
    screenColumns,
  );
}

/** `1,234`. */
export function formatInteger(number: number): string {
  return number.toLocaleString('en');
}

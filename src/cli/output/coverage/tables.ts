import { sanitizeForTerminal } from '../../../base/text.js';
import { formatCount, formatSize } from '../../../base/units.js';
import { addDays, formatDay } from '../../../day-files/day.js';
import type { CoverageTotals, SeriesCoverage } from '../../../describe/coverage/coverage-facts.js';
import { formatTable, type TableColumn } from '../text/table.js';
import { cutStart } from '../text/width.js';

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
export function formatSymbolTable(series: readonly SeriesCoverage[], screenColumns: number): string {
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

export function formatGroupTable(groups: readonly SeriesGroup[], screenColumns: number): string {
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

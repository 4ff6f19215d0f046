import { TickhaulError, usageError } from '../../base/errors.js';
import { type Day, formatDay, msToDay, parseWeekdays } from '../../day-files/day.js';
import type { ExchangeRecord } from '../../service/records/fetch-records.js';
import type { DownloadPlan } from './create-download-plan.js';
import type { SelectedRange, Series } from './select-series.js';

export type SelectedDays = Pick<DownloadPlan, 'exchange' | 'series' | 'range' | 'selection'>;

/** Symbols that an error names. */
const MAX_SYMBOLS = 3;

/**
 * Checks that days which the user chose have, or will have, a day file: otherwise a run would succeed with nothing.
 * @throws TickhaulError `not_exported` for days in the future; as `findUnavailability`.
 */
export function assertAvailable(plan: SelectedDays, record: ExchangeRecord, nowMs: number): void {
  const { exchange, range } = plan;
  if (range.from > msToDay(nowMs)) {
    throw new TickhaulError(
      'not_exported',
      `${exchange}: ${formatDay(range.from)} lies in the future; choose earlier days`,
    );
  }
  const error = findUnavailability(plan, record);
  if (error) throw error;
}

/**
 * Why no selected day of any series is or will be exported: error `unavailable`, or `usage` if the series or the
 * weekdays do not exist. Undefined if one is. Days of other shards count.
 */
export function findUnavailability(
  { exchange, series, range, selection: { weekdays } }: SelectedDays,
  record: ExchangeRecord,
): TickhaulError | undefined {
  const isSelected = weekdays ? parseWeekdays(weekdays) : () => true;
  const hasDay = (from: number, to: number): boolean => {
    for (let day = from; day < to; day++) if (isSelected(day as Day)) return true;
    return false;
  };
  if (!hasDay(range.from, range.to))
    return usageError(`--weekdays ${weekdays?.join(',')}: none of these days in ${formatRange(range)}`);
  if (series.some(({ first, until }) => hasDay(Math.max(first, range.from), Math.min(until, range.to))))
    return undefined;
  const existing = series.filter(({ first, until }) => first < until);
  if (existing.length === 0) return createLacksError(series, record);
  const bySymbol = new Map(existing.map((entry) => [entry.symbol, describeSpan(entry, range)]));
  const others = bySymbol.size - MAX_SYMBOLS;
  const spans = [...bySymbol.values()].slice(0, MAX_SYMBOLS).join(', ');
  return new TickhaulError(
    'unavailable',
    `${exchange} ${formatRange(range)}: ${spans}${others > 0 ? ` (and ${others} more symbols without such a day)` : ''}`,
  );
}

/** Error for data types that none of the selected symbols has. */
function createLacksError(series: readonly Series[], record: ExchangeRecord): TickhaulError {
  const [first] = series;
  const types = [...new Set(series.map(({ dataType }) => dataType))].join(', ');
  const known = record.datasets?.symbols.find(({ id }) => id === first?.symbol)?.dataTypes ?? [];
  return usageError(`${record.id} ${first?.symbol} has no ${types}; it has ${known.join(', ')}`);
}

function describeSpan({ symbol, first, until }: Series, { to }: SelectedRange): string {
  if (to <= first) return `${symbol} begins on ${formatDay(first)}`;
  return `${symbol} ended on ${formatDay((until - 1) as Day)}`;
}

/** `2024-03-01`, or `2024-03-01 to 2024-03-05` with both days included. */
function formatRange({ from, to }: SelectedRange): string {
  const last = (to - 1) as Day;
  return last === from ? formatDay(from) : `${formatDay(from)} to ${formatDay(last)}`;
}

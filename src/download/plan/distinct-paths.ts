import { usageError } from '../../base/errors.js';
import { type Day, formatDay } from '../../dataset/day.js';
import { isPlainName, type Layout } from '../../dataset/layout.js';
import type { SelectedRange, Series } from './select.js';

/**
 * Two symbols may differ only in a character that no file name can have, or a layout may run names together.
 * @throws usage error.
 */
export function assertDistinctPaths(
  allSeries: readonly Series[],
  layout: Layout,
  exchange: string,
  day: Day,
): void {
  if (layout.isDistinct && allSeries.every(({ symbol }) => isPlainName(symbol))) return;
  const owners = new Map<string, Series>();
  for (const series of allSeries) {
    const path = layout.pathOf({ exchange, day, dataType: series.dataType, symbol: series.symbol }, 'csv.gz');
    const other = owners.get(path);
    if (other) {
      throw usageError(
        `${other.dataType} ${other.symbol} and ${series.dataType} ${series.symbol} would share the name ${path}: choose another --layout, or download them into folders of their own`,
      );
    }
    owners.set(path, series);
  }
}

/**
 * A template tells days apart; of a function nobody knows. What does so for one series does so for all.
 * @throws usage error.
 */
export function assertDistinctDays(
  [series]: readonly Series[],
  layout: Layout,
  exchange: string,
  range: SelectedRange,
): void {
  if (!series) return;
  const { dataType, symbol } = series;
  const days = new Map<string, Day>();
  for (let day = range.from; day < range.to; day = (day + 1) as Day) {
    const path = layout.pathOf({ exchange, dataType, symbol, day }, 'csv.gz');
    const other = days.get(path);
    if (other !== undefined) {
      throw usageError(
        `--layout: the function names ${path} for ${formatDay(other)} and for ${formatDay(day)} of ${symbol}; each day needs a name of its own`,
      );
    }
    days.set(path, day);
  }
}

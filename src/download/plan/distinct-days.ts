import { usageError } from '../../base/errors.js';
import { type Day, formatDay } from '../../dataset/day.js';
import type { Layout } from '../../dataset/layout.js';
import type { SelectedRange, Series } from './select-series.js';

/**
 * Checks that a layout function gives each day a distinct path, as templates do. One series is enough.
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
        `--layout: the function names ${path} for ${formatDay(other)} and for ${formatDay(day)} of ${symbol}; each day needs a distinct name`,
      );
    }
    days.set(path, day);
  }
}

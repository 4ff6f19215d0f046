import type { Day } from '../../dataset/day.js';
import type { DayFile } from '../../dataset/day-file.js';
import type { CanRequest } from '../../service/key/key-coverage.js';
import type { SelectedRange, Series } from './select-series.js';

/** Why a day file of a series isn't asked for; undefined where it may be. */
export function classifyRequest(
  file: DayFile,
  series: Series,
  exportedUntil: Day,
  mayRead: CanRequest,
): 'unavailable' | 'pending' | 'unauthorized' | undefined {
  if (file.day < series.first || file.day >= series.until) return 'unavailable';
  if (file.day >= exportedUntil) return 'pending';
  return mayRead(file) ? undefined : 'unauthorized';
}

/** The last and the first day that can be asked for of the first series that has any. */
export function chooseProbes(
  exchange: string,
  allSeries: readonly Series[],
  range: SelectedRange,
  exportedUntil: Day,
  mayRead: CanRequest,
): { series: Series; days: readonly Day[] } | undefined {
  for (const series of allSeries) {
    const first = Math.max(range.from, series.first);
    const until = Math.min(range.to, series.until, exportedUntil);
    const days: Day[] = [];
    const isOpen = (day: number): boolean => {
      const file = { exchange, dataType: series.dataType, symbol: series.symbol, day: day as Day };
      return classifyRequest(file, series, exportedUntil, mayRead) === undefined;
    };
    for (let day = until - 1; day >= first && days.length === 0; day--) {
      if (isOpen(day)) days.push(day as Day);
    }
    for (let day = first; day < until && days.length === 1; day++) {
      if (day === days[0]) break;
      if (isOpen(day)) days.push(day as Day);
    }
    if (days.length > 0) return { series, days };
  }
  return undefined;
}

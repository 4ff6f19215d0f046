import type { Day } from '../../day-files/day.js';
import type { DayFile } from '../../day-files/day-file.js';
import type { CanRequest } from '../../service/key-coverage.js';
import type { SelectedRange, Series } from './select-series.js';

/** Why a day file is not requested; undefined if it is. */
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

/** The last and the first day that can be requested, of the first series with such days. */
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
    const canProbe = (day: number): boolean => {
      const file = { exchange, dataType: series.dataType, symbol: series.symbol, day: day as Day };
      return classifyRequest(file, series, exportedUntil, mayRead) === undefined;
    };
    for (let day = until - 1; day >= first && days.length === 0; day--) {
      if (canProbe(day)) days.push(day as Day);
    }
    for (let day = first; day < until && days.length === 1; day++) {
      if (day === days[0]) break;
      if (canProbe(day)) days.push(day as Day);
    }
    if (days.length > 0) return { series, days };
  }
  return undefined;
}

import type { Day } from '../../dataset/day.js';
import type { EstimateSize } from '../estimate/size-estimator.js';
import type { SelectedRange, Series } from './select-series.js';

/**
 * Bytes that a plan is expected to come to were nothing of it on disk, nor refused: a bound that needs a look at each
 * series, and not at each file. Infinite where nothing is known of a data type.
 */
export function estimateMaxBytes(
  exchange: string,
  series: readonly Series[],
  range: SelectedRange,
  exportedUntil: Day,
  sizeOf: EstimateSize,
): number {
  let bytes = 0;
  for (const { dataType, symbol, first, until } of series) {
    const day = Math.max(range.from, first) as Day;
    const days = Math.min(range.to, until, exportedUntil) - day;
    if (days <= 0) continue;
    bytes +=
      days * (sizeOf({ file: { exchange, dataType, symbol, day } })?.bytes ?? Number.POSITIVE_INFINITY);
  }
  return bytes;
}

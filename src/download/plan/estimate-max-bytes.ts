import type { Day } from '../../dataset/day.js';
import type { EstimateSize } from '../estimate/size-estimator.js';
import type { SelectedRange, Series } from './select-series.js';

/**
 * Expected bytes of a plan if no file existed and none were refused: an upper bound that needs one step per series instead
 * of one per file. Infinite if a data type is unknown.
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

import { usageError } from '../../base/errors.js';
import type { DayFile } from '../../dataset/day-file.js';
import { isSafeFileName } from '../../dataset/file-naming.js';
import type { Layout } from '../../dataset/layout.js';
import type { PlanOutputs } from './output-planner.js';
import type { Series } from './select-series.js';

/**
 * Checks that series have distinct paths: symbols may differ only in characters that file names cannot have, and a
 * template may join names ambiguously.
 * @param any exchange and day of the files.
 * @throws usage error if two day files or conversions would have the same path.
 */
export function assertDistinctPaths(
  allSeries: readonly Series[],
  layout: Layout,
  planOutputs: PlanOutputs,
  any: Pick<DayFile, 'exchange' | 'day'>,
): void {
  if (layout.isDistinct && allSeries.every(({ symbol }) => isSafeFileName(symbol))) return;
  const owners = new Map<string, Series>();
  for (const series of allSeries) {
    const file = { ...any, dataType: series.dataType, symbol: series.symbol };
    const outputs = planOutputs(file, layout.pathOf).map((output) => output.path);
    for (const path of [layout.pathOf(file, 'csv.gz'), ...outputs]) {
      const other = owners.get(path);
      if (other) {
        throw usageError(
          `${other.dataType} ${other.symbol} and ${series.dataType} ${series.symbol} would share the name ${path}: choose another --layout, or download them into separate folders`,
        );
      }
      owners.set(path, series);
    }
  }
}

import type { DayFile } from '../../dataset/day-file.js';
import { createSeriesFilter, type RequestedSeries, resolveSeries } from '../../dataset/series-filter.js';
import { createShardTest, type Shard } from '../../dataset/shard.js';
import type { FindDayFile } from './day-file-lookup.js';
import type { ConvertSource } from './find-sources.js';

/** Restricts the sources to convert. */
export interface SourceSelection {
  /** Undefined for all. */
  readonly symbols?: RequestedSeries['symbols'];
  /** Part of the selected sources; undefined for all. */
  readonly shard?: Shard | undefined;
  /** Whether a source is left out for another reason. */
  readonly isExcluded?: ((path: string) => Promise<boolean>) | undefined;
}

/**
 * Filters the sources by a selection.
 * @throws TickhaulError `usage` for a symbol that no source has, with the nearest.
 */
export async function selectSources(
  sources: readonly ConvertSource[],
  { symbols, shard, isExcluded }: SourceSelection,
  findDayFile: FindDayFile,
): Promise<readonly ConvertSource[]> {
  if (symbols === undefined && shard === undefined && isExcluded === undefined) return sources;
  const found: (readonly [source: ConvertSource, file: DayFile | undefined])[] = [];
  for (const source of sources) found.push([source, await findDayFile(source.path)]);
  const filter = createSeriesFilter(
    resolveSeries({ symbols }, () => found.flatMap(([, file]) => file ?? [])),
  );
  const isInShard = createShardTest(shard);
  const selected: ConvertSource[] = [];
  for (const [source, file] of found) {
    const isSelected = file ? filter.matches(file) : symbols === undefined;
    if (isSelected && isInShard(file) && !(await isExcluded?.(source.path))) selected.push(source);
  }
  filter.assertAllMatched();
  return selected;
}

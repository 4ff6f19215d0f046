import { createSeriesFilter } from '../../dataset/series-filter.js';
import { createShardTest, type Shard } from '../../dataset/shard.js';
import type { FindDayFile } from './day-file-lookup.js';
import type { ConvertSource } from './find-sources.js';

/** Which of the sources are meant. */
export interface SourceSelection {
  /** Dataset symbols and globs; undefined for every source. */
  readonly symbols?: readonly string[] | undefined;
  /** Which part of those; undefined for all. */
  readonly shard?: Shard | undefined;
}

/**
 * Those of the sources that a selection means.
 * @throws usage error for a symbol that none of them is of, with the nearest.
 */
export async function selectSources(
  sources: readonly ConvertSource[],
  { symbols, shard }: SourceSelection,
  dayFileOf: FindDayFile,
): Promise<readonly ConvertSource[]> {
  if (symbols === undefined && shard === undefined) return sources;
  const filter = createSeriesFilter({ symbols });
  const isOurs = createShardTest(shard);
  const selected: ConvertSource[] = [];
  for (const source of sources) {
    const file = await dayFileOf(source.path);
    const isMeant = file ? filter.matches(file) : symbols === undefined;
    if (isMeant && isOurs(file)) selected.push(source);
  }
  filter.assertAllMatched();
  return selected;
}

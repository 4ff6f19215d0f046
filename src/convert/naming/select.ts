import type { DayFile } from '../../dataset/day-file.js';
import { dayFileOfName } from '../../dataset/day-file-name.js';
import { createSeriesFilter } from '../../dataset/series-filter.js';
import type { Source } from './find.js';

/**
 * Those of the sources that are of these symbols, by their names or by what `dayFileOf` knows of them.
 * @param symbols dataset symbols and globs; undefined for every source.
 * @throws usage error for a symbol that none of them is of, with the nearest.
 */
export async function selectSources(
  sources: readonly Source[],
  symbols: readonly string[] | undefined,
  dayFileOf?: (path: string) => Promise<DayFile | undefined>,
): Promise<readonly Source[]> {
  if (symbols === undefined) return sources;
  const filter = createSeriesFilter({ symbols });
  const selected: Source[] = [];
  for (const source of sources) {
    const file = dayFileOfName(source.path) ?? (await dayFileOf?.(source.path));
    if (file && filter.wants(file)) selected.push(source);
  }
  filter.check();
  return selected;
}

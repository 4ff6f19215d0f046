import { usageError } from '../base/errors.js';
import type { DayFile } from '../dataset/day-file.js';
import { createSeriesFilter, isNarrow, type SeriesSelection } from '../dataset/series-filter.js';
import { inShard, type Shard } from '../dataset/shard.js';
import { isInside } from '../store/paths.js';

/** Which part of a download folder a check is about. */
export interface Scope {
  /** Folders and files to walk, relative to the download folder, with `/`; `''` is all of it. */
  readonly roots: readonly string[];
  readonly isWhole: boolean;
  /** The root that a path lies under; undefined for one outside the scope. */
  rootOf(path: string): string | undefined;
  /** Whether files of this day file are meant; undefined for a file of which nobody knows what it is. */
  wants(file: DayFile | undefined): boolean;
  /** @throws usage error for a selected name that none of the asked files had, with the nearest. */
  check(): void;
}

/**
 * @param paths relative to the download folder, with `/`; none, or an empty one, for all.
 * @param selection what of it is meant: files of which nobody knows what they are only where it leaves nothing out.
 * @param shard which part of that; files of which nobody knows what they are fall to the first.
 * @throws usage error for a path outside.
 */
export function createScope(paths: readonly string[], selection: SeriesSelection = {}, shard?: Shard): Scope {
  const filter = createSeriesFilter(selection);
  const isOurs = inShard(shard);
  const isNarrowed = isNarrow(selection);
  return {
    ...rootsOf(paths, isNarrowed || shard !== undefined),
    // The filter learns the names of all shards: a name that only another one has is no slip.
    wants: (file) => (file === undefined ? !isNarrowed : filter.wants(file)) && isOurs(file),
    check: filter.check,
  };
}

function rootsOf(paths: readonly string[], isPart: boolean): Pick<Scope, 'roots' | 'isWhole' | 'rootOf'> {
  if (paths.length === 0 || paths.includes('')) return { roots: [''], isWhole: !isPart, rootOf: () => '' };
  const outside = paths.find((path) => !isInside(path));
  if (outside !== undefined) throw usageError(`"${outside}" is no path inside the download folder`);
  const roots = paths.filter((path) => !paths.some((other) => path.startsWith(`${other}/`)));
  return {
    roots: [...new Set(roots)],
    isWhole: false,
    rootOf: (path) => roots.find((root) => path === root || path.startsWith(`${root}/`)),
  };
}

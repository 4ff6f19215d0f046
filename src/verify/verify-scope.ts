import { usageError } from '../base/errors.js';
import { DATA_TYPES } from '../dataset/data-types.js';
import { isGlob } from '../dataset/dataset-symbol.js';
import type { DayFile } from '../dataset/day-file.js';
import { createSeriesFilter, isRestrictive, type SeriesSelection } from '../dataset/series-filter.js';
import { createShardTest, type Shard } from '../dataset/shard.js';
import type { ManifestScope } from '../store/manifest/manifest-scope.js';
import { isInside } from '../store/paths.js';

/** Which part of a download folder a check is about. */
export interface VerifyScope {
  /** Folders and files to walk, relative to the download folder, with `/`; `''` is all of it. */
  readonly roots: readonly string[];
  readonly isWhole: boolean;
  /** The root that a path lies under; undefined for one outside the scope. */
  findRoot(path: string): string | undefined;
  /** Whether files of this day file are meant; undefined for a file of which nobody knows what it is. */
  includes(file: DayFile | undefined): boolean;
  /** @throws usage error for a selected name that none of the asked files had, with the nearest. */
  assertAllMatched(): void;
}

/**
 * @param paths relative to the download folder, with `/`; none, or an empty one, for all.
 * @param selection what of it is meant: files of which nobody knows what they are only where it leaves nothing out.
 * @param shard which part of that; files of which nobody knows what they are fall to the first.
 * @throws usage error for a path outside.
 */
export function createVerifyScope(
  paths: readonly string[],
  selection: SeriesSelection = {},
  shard?: Shard,
): VerifyScope {
  const filter = createSeriesFilter(selection);
  const isOurs = createShardTest(shard);
  const isNarrowed = isRestrictive(selection);
  return {
    ...parseRoots(paths, isNarrowed || shard !== undefined),
    // The filter learns the names of all shards: a name that only another one has is no slip.
    includes: (file) => (file === undefined ? !isNarrowed : filter.matches(file)) && isOurs(file),
    assertAllMatched: filter.assertAllMatched,
  };
}

/**
 * Which records a check of a selection needs: those of whole series, as it tells of gaps in them. What may stand for
 * other names than it says, a glob or a type that isn't known here, narrows nothing.
 */
export function selectionToManifestScope({ exchanges, dataTypes }: SeriesSelection = {}): ManifestScope {
  return {
    exchanges: resolveNames(exchanges, (name) => (isGlob(name) ? undefined : name.toLowerCase())),
    dataTypes: resolveNames(dataTypes, (name) =>
      DATA_TYPES.find((known) => known.toLowerCase() === name.toLowerCase()),
    ),
  };
}

function resolveNames(
  wanted: readonly string[] | undefined,
  nameOf: (text: string) => string | undefined,
): readonly string[] | undefined {
  if (wanted === undefined || wanted.includes('all')) return undefined;
  const names = wanted.map(nameOf);
  return names.every((name) => name !== undefined) ? [...new Set(names)] : undefined;
}

function parseRoots(
  paths: readonly string[],
  isPart: boolean,
): Pick<VerifyScope, 'roots' | 'isWhole' | 'findRoot'> {
  if (paths.length === 0 || paths.includes('')) return { roots: [''], isWhole: !isPart, findRoot: () => '' };
  const outside = paths.find((path) => !isInside(path));
  if (outside !== undefined) throw usageError(`"${outside}" is no path inside the download folder`);
  const roots = paths.filter((path) => !paths.some((other) => path.startsWith(`${other}/`)));
  return {
    roots: [...new Set(roots)],
    isWhole: false,
    findRoot: (path) => roots.find((root) => path === root || path.startsWith(`${root}/`)),
  };
}

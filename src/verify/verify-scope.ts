import { usageError } from '../base/errors.js';
import { DATA_TYPES } from '../day-files/data-types.js';
import { isGlob } from '../day-files/dataset-symbol.js';
import type { DayFile } from '../day-files/day-file.js';
import { createSeriesFilter, isRestrictive, type SeriesSelection } from '../day-files/series-filter.js';
import { createShardTest, type Shard } from '../day-files/shard.js';
import type { ManifestScope } from '../store/manifest/manifest.js';
import { isInside } from '../store/paths.js';

/** The part of a download folder to check. */
export interface VerifyScope {
  /** Folders and files to list, relative to the download folder, with `/`; `''` is the whole folder. */
  readonly roots: readonly string[];
  readonly isWhole: boolean;
  /** The root that contains a path; undefined for a path outside the scope. */
  findRoot(path: string): string | undefined;
  /** Whether the scope includes files of this day file; undefined for a file that nothing identifies. */
  includes(file: DayFile | undefined): boolean;
  /** @throws usage error if a selected name matched none of the files passed to `includes`; suggests the nearest. */
  assertAllMatched(): void;
}

/**
 * @param paths relative to the download folder, with `/`; none, or an empty path, for the whole folder.
 * @param selection selects day files. Files that nothing identifies are included only if it is not restrictive.
 * @param shard selects a shard of them. Files that nothing identifies belong to the first shard.
 * @throws usage error for a path outside the folder.
 */
export function createVerifyScope(
  paths: readonly string[],
  selection: SeriesSelection = {},
  shard?: Shard,
): VerifyScope {
  const filter = createSeriesFilter(selection);
  const isInShard = createShardTest(shard);
  const isSelective = isRestrictive(selection);
  return {
    ...parseRoots(paths, isSelective || shard !== undefined),
    // The filter sees the names of all shards: a name that only another shard has is not an error.
    includes: (file) => (file === undefined ? !isSelective : filter.matches(file)) && isInShard(file),
    assertAllMatched: filter.assertAllMatched,
  };
}

/**
 * The records that a check of a selection needs: those of whole series, since gaps are reported. A glob or an unknown
 * data type may match other names, so it does not restrict the scope.
 */
export function selectionToManifestScope({
  exchanges,
  dataTypes,
}: Pick<SeriesSelection, 'exchanges' | 'dataTypes'> = {}): ManifestScope {
  return {
    exchanges: resolveNames(exchanges, (name) => (isGlob(name) ? undefined : name.toLowerCase())),
    dataTypes: resolveNames(dataTypes, (name) =>
      DATA_TYPES.find((known) => known.toLowerCase() === name.toLowerCase()),
    ),
  };
}

function resolveNames(
  requested: readonly string[] | undefined,
  resolveName: (text: string) => string | undefined,
): readonly string[] | undefined {
  if (requested === undefined || requested.includes('all')) return undefined;
  const names = requested.map(resolveName);
  return names.every((name) => name !== undefined) ? [...new Set(names)] : undefined;
}

function parseRoots(
  paths: readonly string[],
  isPartial: boolean,
): Pick<VerifyScope, 'roots' | 'isWhole' | 'findRoot'> {
  if (paths.length === 0 || paths.includes(''))
    return { roots: [''], isWhole: !isPartial, findRoot: () => '' };
  const outside = paths.find((path) => !isInside(path));
  if (outside !== undefined) throw usageError(`"${outside}" is not a path inside the download folder`);
  const roots = paths.filter((path) => !paths.some((other) => path.startsWith(`${other}/`)));
  return {
    roots: [...new Set(roots)],
    isWhole: false,
    findRoot: (path) => roots.find((root) => path === root || path.startsWith(`${root}/`)),
  };
}

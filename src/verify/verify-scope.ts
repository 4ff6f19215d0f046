import { usageError } from '../base/errors.js';
import { DATA_TYPES } from '../day-files/data-types.js';
import { isGlob } from '../day-files/dataset-symbol.js';
import type { Day } from '../day-files/day.js';
import type { DayFile } from '../day-files/day-file.js';
import type { DayFileFilter, DayFileSelection } from '../day-files/series-filter.js';
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
  /** Whether a day is selected, in any shard. */
  hasDay(exchange: string, day: Day): boolean;
  /** As `DayFileFilter.assertMatched`, for the files passed to `includes`. */
  assertMatched(): void;
}

/**
 * @param paths relative to the download folder, with `/`; none, or an empty path, for the whole folder.
 * @param isPartial whether the filter leaves out any file of the folder.
 * @throws usage error for a path outside the folder.
 */
export function createVerifyScope(
  paths: readonly string[],
  filter: DayFileFilter,
  isPartial: boolean,
): VerifyScope {
  return {
    ...parseRoots(paths, isPartial),
    includes: filter.matches,
    hasDay: (exchange, day) => filter.daysOf(exchange).has(day),
    assertMatched: filter.assertMatched,
  };
}

/**
 * The records that a check of a selection needs: those of whole series, since gaps are reported. A glob or an unknown
 * data type may match other names, so it does not restrict the scope.
 */
export function selectionToManifestScope({
  exchanges,
  dataTypes,
}: Pick<DayFileSelection, 'exchanges' | 'dataTypes'> = {}): ManifestScope {
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

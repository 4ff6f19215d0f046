import { usageError } from '../base/errors.js';
import { isInside } from '../store/paths.js';

/** Which part of a download folder a check is about. */
export interface Scope {
  /** Folders and files to walk, relative to the download folder, with `/`; `''` is all of it. */
  readonly roots: readonly string[];
  readonly isWhole: boolean;
  /** The root that a path lies under; undefined for one outside the scope. */
  rootOf(path: string): string | undefined;
}

/**
 * @param paths relative to the download folder, with `/`; none, or an empty one, for all.
 * @throws usage error for a path outside.
 */
export function createScope(paths: readonly string[]): Scope {
  if (paths.length === 0 || paths.includes('')) return { roots: [''], isWhole: true, rootOf: () => '' };
  const outside = paths.find((path) => !isInside(path));
  if (outside !== undefined) throw usageError(`"${outside}" is no path inside the download folder`);
  const roots = paths.filter((path) => !paths.some((other) => path.startsWith(`${other}/`)));
  return {
    roots: [...new Set(roots)],
    isWhole: false,
    rootOf: (path) => roots.find((root) => path === root || path.startsWith(`${root}/`)),
  };
}

import { isAbsolute, join, posix, relative, resolve, sep } from 'node:path';
import { usageError } from '../../base/errors.js';
import { isObject } from '../../store/location.js';
import { isThere } from '../is-there.js';
import { findDownloadDir } from './day-file-lookup.js';

/** A download folder, and what of it is meant: relative to it, with `/`; none for all. */
export interface FolderPaths {
  readonly dir: string;
  readonly paths: readonly string[];
}

/**
 * The download folder that paths lie in: the nearest one above each that has a manifest, else the one that is set. In a
 * store, where nothing tells that, it is the one that is set, and else the path itself.
 * @param paths from where the command runs; one that isn't there may be relative to the folder that is set.
 * @throws usage error where they lie in several.
 */
export async function readFolderPaths(paths: readonly string[], dir: string): Promise<FolderPaths> {
  if (paths.length === 0) return { dir, paths: [] };
  const found = await Promise.all(paths.map((path) => place(path, dir)));
  const [first = dir, ...others] = new Set(found.map((each) => each.dir));
  if (others.length > 0) {
    throw usageError(`${first} and ${others[0]} are different download folders; verify them one by one`);
  }
  return { dir: first, paths: found.map((each) => each.path) };
}

async function place(path: string, set: string): Promise<{ dir: string; path: string }> {
  if (isObject(path)) return placeObject(path, set);
  if (isObject(set) && !isAbsolute(path) && !(await isThere(path))) return { dir: set, path: inStore(path) };
  const here = resolve(path);
  const isHere = isBelow(here, resolve(set)) || (await isThere(here)) || isAbsolute(path);
  const file = isHere ? here : resolve(set, path);
  const dir = (await findDownloadDir(file)) ?? (isBelow(file, resolve(set)) ? set : file);
  return { dir, path: relative(resolve(dir), file).replaceAll(sep, '/') };
}

function placeObject(location: string, set: string): { dir: string; path: string } {
  const prefix = `${set.replace(/\/+$/, '')}/`;
  if (`${location}/`.startsWith(prefix)) return { dir: set, path: inStore(location.slice(prefix.length)) };
  return { dir: location, path: '' };
}

/** Without what is written differently for the same: `./a/` is `a`. */
function inStore(path: string): string {
  const normal = posix.normalize(path).replace(/\/$/, '');
  return normal === '.' ? '' : normal;
}

function isBelow(path: string, dir: string): boolean {
  return path === dir || path.startsWith(join(dir, sep));
}

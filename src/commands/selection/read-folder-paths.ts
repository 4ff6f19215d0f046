import { isAbsolute, join, posix, relative, resolve, sep } from 'node:path';
import { usageError } from '../../base/errors.js';
import { createDestinationFinder, type FindDestination } from '../../store/find-destination.js';
import { isObjectLocation } from '../../store/location.js';
import { openFiles } from '../../store/open-files.js';
import { pathExists } from '../path-exists.js';
import type { Settings } from '../settings.js';
import { type DestinationOptions, toStoreSettings } from '../with-destination.js';

/** A download folder, and what of it is meant: relative to it, with `/`; none for all. */
export interface FolderPaths {
  readonly dir: string;
  readonly paths: readonly string[];
}

/**
 * The download folder that paths lie in: the nearest one above each that has a manifest, else the one that is set where
 * they lie in it, and else the path itself. In a store, the one that is set goes first.
 * @param paths from where the command runs; one that isn't there may be relative to the folder that is set.
 * @throws usage error where they lie in several; what a store throws.
 */
export async function readFolderPaths(
  paths: readonly string[],
  settings: Settings,
  { stallTimeoutMs, signal }: DestinationOptions,
): Promise<FolderPaths> {
  const dir = settings.downloadDir;
  if (paths.length === 0) return { dir, paths: [] };
  const files = openFiles(toStoreSettings(settings, stallTimeoutMs));
  const find = createDestinationFinder(files, signal);
  const placing = Promise.all(paths.map((path) => place(path, dir, find)));
  const found = await placing.finally(() => files.close());
  const [first = dir, ...others] = new Set(found.map((each) => each.dir));
  if (others.length > 0) {
    throw usageError(`${first} and ${others[0]} are different download folders; name them one by one`);
  }
  return { dir: first, paths: found.map((each) => each.path) };
}

interface Placed {
  readonly dir: string;
  readonly path: string;
}

async function place(path: string, set: string, find: FindDestination): Promise<Placed> {
  if (isObjectLocation(path)) return placeObject(path, set, find);
  if (isObjectLocation(set) && !isAbsolute(path) && !(await pathExists(path)))
    return { dir: set, path: inStore(path) };
  const here = resolve(path);
  const isHere = isBelow(here, resolve(set)) || (await pathExists(here)) || isAbsolute(path);
  const file = isHere ? here : resolve(set, path);
  const dir = (await find(file)) ?? (isBelow(file, resolve(set)) ? set : file);
  return { dir, path: relative(resolve(dir), file).replaceAll(sep, '/') };
}

async function placeObject(location: string, set: string, find: FindDestination): Promise<Placed> {
  const isBelowSet = `${location}/`.startsWith(`${withoutSlash(set)}/`);
  const dir = isBelowSet ? set : ((await find(withoutSlash(location))) ?? location);
  return { dir, path: inStore(location.slice(withoutSlash(dir).length + 1)) };
}

/** Without slashes at its end, but for those of `s3://`. */
function withoutSlash(location: string): string {
  return location.replace(/([^:/])\/+$/, '$1');
}

/** Without what is written differently for the same: `./a/` is `a`. */
function inStore(path: string): string {
  const normal = posix.normalize(path).replace(/\/$/, '');
  return normal === '.' ? '' : normal;
}

function isBelow(path: string, dir: string): boolean {
  return path === dir || path.startsWith(join(dir, sep));
}

import { stat } from 'node:fs/promises';
import { isAbsolute, join, posix, relative, resolve, sep } from 'node:path';
import { pathExists, whyNotFound } from '../../base/disk-files.js';
import { usageError } from '../../base/errors.js';
import type { GivenFlags } from '../../options/option-values.js';
import { absoluteLocation, isObjectLocation } from '../../store/location.js';
import { createDestinationFinder, type FindDestination } from '../../store/open-destination.js';
import type { Context } from '../context.js';

/** A download folder, and selected paths relative to it, with `/`; an empty list selects everything. */
export interface FolderPaths {
  readonly dir: string;
  readonly paths: readonly string[];
  /** The selected paths as the user typed them, for messages. */
  readonly names: ReadonlyMap<string, string>;
}

/**
 * Finds the download folder of paths: the nearest parent folder with a manifest, else the configured folder if it
 * contains them, else the path itself. In a store, the configured folder has precedence.
 * @param paths relative to the working folder; if a path does not exist there, to the configured folder.
 * @throws usage error for a path that neither exists nor belongs to a folder with a manifest, and for paths of several
 * download folders; errors of the store.
 */
export async function readFolderPaths(paths: readonly string[], context: Context): Promise<FolderPaths> {
  const { downloadDir: dir } = await context.settings();
  if (paths.length === 0) return { dir, paths: [], names: new Map() };
  const find = createDestinationFinder(await context.files(), context.signal);
  const resolved = await Promise.all(paths.map((path) => resolvePath(path, dir, find)));
  const folders = new Map(resolved.map((each) => [absoluteLocation(each.dir), each.dir]));
  const [first = dir, ...others] = folders.values();
  if (others.length > 0) {
    throw usageError(
      `${first} and ${others[0]} are different download folders; run the command for each of them`,
    );
  }
  const names = new Map(resolved.map(({ path }, index) => [path, paths[index] ?? path]));
  return { dir: first, paths: resolved.map(({ path }) => path), names };
}

/**
 * As `readFolderPaths`, for the argument `<folder>`: one folder, or none for `--dir`.
 * @throws usage error for both, and for a file.
 */
export async function findFolder(
  { folder, given }: { readonly folder?: string | undefined; readonly given: GivenFlags<'dir'> },
  context: Context,
): Promise<FolderPaths> {
  if (folder !== undefined && given.has('dir'))
    throw usageError('<folder> and --dir both set the folder; use only one of them');
  const found = await readFolderPaths(folder === undefined ? [] : [folder], context);
  const path = join(found.dir, ...found.paths);
  const isFile = !isObjectLocation(found.dir) && (await stat(path).catch(() => undefined))?.isFile();
  if (isFile) throw usageError(`${path} is a file; name a folder`);
  return found;
}

/**
 * The paths of `convert` and `export`, else the folder of `--dir`.
 * @throws usage error if neither is given: a whole folder is read only if the user names it.
 */
export async function readSourcePaths(
  { paths, given }: { readonly paths?: readonly string[] | undefined; readonly given: GivenFlags<'dir'> },
  context: Pick<Context, 'settings'>,
): Promise<readonly string[]> {
  if (paths) return paths;
  if (given.has('dir')) return [(await context.settings()).downloadDir];
  throw usageError('an argument is missing: name day files or folders, or the folder with --dir');
}

interface ResolvedPath {
  readonly dir: string;
  readonly path: string;
}

async function resolvePath(
  path: string,
  configuredDir: string,
  find: FindDestination,
): Promise<ResolvedPath> {
  if (isObjectLocation(path)) return resolveObject(path, configuredDir, find);
  if (isObjectLocation(configuredDir) && !isAbsolute(path) && !(await pathExists(path)))
    return { dir: configuredDir, path: normalizePath(path) };
  const here = resolve(path);
  const isHere = isInside(here, resolve(configuredDir)) || (await pathExists(here)) || isAbsolute(path);
  const file = isHere ? here : resolve(configuredDir, path);
  const found = await find(file);
  // A manifest may record files that no longer exist.
  if (found === undefined && !(await pathExists(file)))
    throw usageError(`${path}: ${whyNotFound(path, 'no such file or folder')}`);
  const own = isHere ? path : file;
  const dir = found ?? (isInside(file, resolve(configuredDir)) ? configuredDir : own);
  return { dir, path: relative(resolve(dir), file).replaceAll(sep, '/') };
}

async function resolveObject(
  location: string,
  configuredDir: string,
  find: FindDestination,
): Promise<ResolvedPath> {
  const isBelowConfiguredDir = `${location}/`.startsWith(`${trimSlashes(configuredDir)}/`);
  const dir = isBelowConfiguredDir ? configuredDir : ((await find(trimSlashes(location))) ?? location);
  return { dir, path: normalizePath(location.slice(trimSlashes(dir).length + 1)) };
}

/** Without trailing slashes, except those of `s3://`. */
function trimSlashes(location: string): string {
  return location.replace(/([^:/])\/+$/, '$1');
}

/** A normalized path: `./a/` is `a`. */
function normalizePath(path: string): string {
  const normal = posix.normalize(path).replace(/\/$/, '');
  return normal === '.' ? '' : normal;
}

function isInside(path: string, dir: string): boolean {
  return path === dir || path.startsWith(join(dir, sep));
}

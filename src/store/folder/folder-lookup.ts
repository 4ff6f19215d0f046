import { type Dirent, lstatSync, readdirSync, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { mayBeUndecoded } from '../../base/disk-files.js';
import { abortReason, isSystemError, toDiskError } from '../../base/errors.js';
import { STATE_FOLDER } from '../../day-files/file-naming.js';
import type { FileLookup } from '../destination.js';

/** After this many lookups in a folder, the folder is listed. */
const LOOKUPS_BEFORE_LISTING = 64;

interface FolderState {
  lookups: number;
  /** All names in the folder, once it is listed. */
  names: ReadonlySet<string> | undefined;
}

/**
 * Looks up files in a local folder. The first paths in a folder are looked up one by one, since the folder
 * may have a million entries. Then it is listed once, since a plan may look up a million paths that do not
 * exist.
 * @param isGrouped whether paths are looked up folder after folder. If so, only the last folder is cached,
 * since there may be a million.
 */
export function createFolderLookup(dir: string, isGrouped: boolean): FileLookup {
  const folders = isGrouped ? undefined : new Map<string, FolderState>();
  let name: string | undefined;
  let folder: FolderState = { lookups: 0, names: undefined };
  const switchTo = (other: string): void => {
    name = other;
    folder = folders?.get(other) ?? { lookups: 0, names: undefined };
    folders?.set(other, folder);
  };
  return {
    has(path) {
      const slash = path.lastIndexOf('/');
      const parent = path.slice(0, Math.max(0, slash));
      if (parent !== name) switchTo(parent);
      const exists = folder.lookups++ < LOOKUPS_BEFORE_LISTING ? existsSync(`${dir}/${path}`) : undefined;
      if (exists !== undefined) return exists;
      folder.names ??= listNames(posix.join(dir, parent));
      return folder.names.has(path.slice(slash + 1));
    },
    get(path) {
      const bytes = readSize(`${dir}/${path}`);
      return bytes === undefined ? undefined : { bytes };
    },
  };
}

/** @returns undefined on an error: listing the folder will report it. */
function existsSync(path: string): boolean | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return undefined;
  }
}

function readSize(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size;
  } catch (error) {
    if (isMissingFolder(error)) return undefined;
    throw toDiskError(error, path);
  }
}

function listNames(folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(folder));
  } catch (error) {
    if (isMissingFolder(error)) return new Set();
    throw toDiskError(error, folder);
  }
}

/** Without the folder, no file exists. If something is in its way, the first write reports it. */
function isMissingFolder(error: unknown): boolean {
  return isSystemError(error) && ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(error.code);
}

/**
 * Lists the files under a folder: paths relative to `root`, with `/`, sorted, in batches of files in the same
 * folder, as there may be a million. Leaves out tickhaul's state folders. Follows links to files but not to
 * folders, which may form circles.
 * @param under a folder or file in `root`; empty for all. Missing files are skipped. A folder whose name Node
 * cannot decode is returned like a file, since it cannot be listed.
 * @throws TickhaulError `disk` for a folder that cannot be read; the abort reason.
 */
export async function* walkFiles(
  root: string,
  under: string,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  if (signal.aborted) throw abortReason(signal);
  let files: string[] = [];
  const entries = await listFolder(root, under);
  if (!entries) {
    if (mayBeUndecoded(under)) yield [under];
    return;
  }
  for (const entry of entries) {
    const path = under === '' ? entry.name : posix.join(under, entry.name);
    if (entry.isDirectory()) {
      if (entry.name === STATE_FOLDER) continue;
      if (files.length > 0) yield files;
      files = [];
      yield* walkFiles(root, path, signal);
    } else if (entry.isFile() || (entry.isSymbolicLink() && (await isFile(join(root, path))))) {
      files.push(path);
    }
  }
  if (files.length > 0) yield files;
}

/** @returns undefined if the folder does not exist. */
async function listFolder(root: string, under: string): Promise<readonly Dirent[] | undefined> {
  const folder = join(root, under);
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined;
    throw toDiskError(error, folder, 'disk');
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    // A broken link, or one that is part of a circle.
    if (isSystemError(error)) return false;
    throw error;
  }
}

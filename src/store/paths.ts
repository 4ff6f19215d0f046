import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { createFolder } from '../base/create-folder.js';
import { isSystemError, TickhaulError, toDiskError } from '../base/errors.js';
import { DAY_FILE_EXTENSION } from '../dataset/day-file.js';
import { hasControls, STATE_FOLDER } from '../dataset/file-naming.js';

/** Whether a path with `/` between folders names something inside the folder it is relative to, on any system. */
export function isInside(relPath: string): boolean {
  if (relPath.includes('\\') || relPath.includes('\0') || /^[A-Za-z]:/.test(relPath)) return false;
  return relPath.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/** Whether a path leads into tickhaul's own folder, in any case: some file systems know no difference. */
export function isStatePath(relPath: string): boolean {
  return relPath.split('/').some((part) => part.toLowerCase() === STATE_FOLDER);
}

/** Whether a path is inside the download folder, and nothing of tickhaul's own. */
export function isDataPath(relPath: string): boolean {
  return isInside(relPath) && !isStatePath(relPath);
}

/** Whether a layout can have given this path to a file: a data path without control characters. */
export function isLayoutPath(relPath: string): boolean {
  return isDataPath(relPath) && !hasControls(relPath);
}

/** Whether a layout can have given this path to a day file. */
export function isDayFilePath(relPath: string): boolean {
  return isLayoutPath(relPath) && relPath.endsWith(DAY_FILE_EXTENSION);
}

/**
 * The absolute path of a file of the download folder.
 * @throws TickhaulError `usage` when it would lie outside.
 */
export function resolveInside(dir: string, relPath: string): string {
  if (isInside(relPath)) return resolve(dir, relPath);
  throw new TickhaulError('usage', `"${relPath}" is no path inside the download folder ${dir}`);
}

/**
 * Makes the folders above a file of the download folder and gives its absolute path.
 * @throws TickhaulError `usage` when the path leaves the folder, `path_taken` when a symbolic link on the way
 * does or a file stands there, `disk` when the folders can't be made.
 */
export async function createParentFolder(dir: string, relPath: string): Promise<string> {
  const path = resolveInside(dir, relPath);
  try {
    await createFolder(dir);
    if (!relPath.includes('/')) return path;
    const [root, parent] = await Promise.all([realpath(dir), realpathOfExisting(dirname(path))]);
    const way = relative(root, parent);
    if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) {
      throw new TickhaulError(
        'path_taken',
        `${path}: a symbolic link on the way leads out of the download folder, to ${parent}; remove it or choose another --dir`,
      );
    }
    await createFolder(dirname(path));
  } catch (error) {
    throw toDiskError(error, path);
  }
  return path;
}

async function realpathOfExisting(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'ENOENT') throw error;
    return realpathOfExisting(join(path, '..'));
  }
}

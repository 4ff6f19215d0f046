import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { createFolder } from '../base/disk-files.js';
import { isSystemError, TickhaulError, toDiskError } from '../base/errors.js';
import { DAY_FILE_EXTENSION, hasControls, STATE_FOLDER } from '../day-files/day-file.js';

/** Whether a path with `/` between folders stays inside the folder that it is relative to, on any system. */
export function isInside(relPath: string): boolean {
  if (relPath.includes('\\') || relPath.includes('\0') || /^[A-Za-z]:/.test(relPath)) return false;
  return relPath.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/** Whether a path leads into the state folder. Ignores case, as some file systems do. */
export function isStatePath(relPath: string): boolean {
  return relPath.split('/').some((part) => part.toLowerCase() === STATE_FOLDER);
}

/** Whether a path is inside the download folder and not in the state folder. */
export function isDataPath(relPath: string): boolean {
  return isInside(relPath) && !isStatePath(relPath);
}

/** Whether a layout can produce this path: a data path without control characters. */
export function isLayoutPath(relPath: string): boolean {
  return isDataPath(relPath) && !hasControls(relPath);
}

/** Whether a layout can produce this path for a day file. */
export function isDayFilePath(relPath: string): boolean {
  return isLayoutPath(relPath) && relPath.endsWith(DAY_FILE_EXTENSION);
}

/**
 * The absolute path of a file in the download folder.
 * @throws usage error if it would lie outside.
 */
export function resolveInside(dir: string, relPath: string): string {
  if (isInside(relPath)) return resolve(dir, relPath);
  throw new TickhaulError('usage', `"${relPath}" is not a path inside the download folder ${dir}`);
}

/**
 * Creates the parent folders of a file in the download folder and returns its absolute path.
 * @throws TickhaulError `usage` if the path leads outside; `path_taken` if a symbolic link on the path leads
 * outside or a file has the name of a folder; `disk` if the folders cannot be created.
 */
export async function createParentFolder(dir: string, relPath: string): Promise<string> {
  const path = resolveInside(dir, relPath);
  try {
    await createFolder(dir);
    if (!relPath.includes('/')) return path;
    const [root, parent] = await Promise.all([realpath(dir), realpathOfExisting(dirname(path))]);
    const parentInRoot = relative(root, parent);
    if (parentInRoot === '..' || parentInRoot.startsWith(`..${sep}`) || isAbsolute(parentInRoot)) {
      throw new TickhaulError(
        'path_taken',
        `${path}: a symbolic link on this path leads out of the download folder, to ${parent}; remove it or choose another --dir`,
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

/** The folder in a download folder that holds tickhaul's state (docs/spec/manifest.md#state-folder). */
export function stateFolderPath(dir: string): string {
  return join(dir, STATE_FOLDER);
}

/** Name of the export log (docs/spec/manifest.md#export-log). */
export const EXPORT_LOG_NAME = 'exports.jsonl';

/** Path of the export log in a folder of exports. */
export function exportLogPath(dir: string): string {
  return join(dir, STATE_FOLDER, EXPORT_LOG_NAME);
}

/** Path of a download folder's manifest. */
export function manifestPath(dir: string): string {
  return join(stateFolderPath(dir), 'manifest.jsonl');
}

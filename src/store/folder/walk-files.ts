import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { mayBeUndecoded } from '../../base/disk-files.js';
import { abortReason, isSystemError, toDiskError } from '../../base/errors.js';
import { STATE_FOLDER } from '../../day-files/file-naming.js';

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

import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { abortReason, isSystemError, toDiskError } from '../base/errors.js';
import { mayBeUndecoded } from '../base/utf8-name.js';
import { STATE_FOLDER } from '../dataset/file-naming.js';

/**
 * The files under a folder, by their paths relative to it, with `/`, in the order of names; as there may be a
 * million, each time some that stand side by side. tickhaul's own folders are left out. Links to files are followed,
 * links to folders are not: they may lead in circles.
 * @param under a folder or a file in it; empty for all. What is gone is passed over; a folder whose name Node can't decode
 * is given like a file, since it can't be listed.
 * @throws TickhaulError `disk` for a folder that can't be read; the reason of an abort.
 */
export async function* walkFiles(
  root: string,
  under: string,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  if (signal.aborted) throw abortReason(signal);
  let files: string[] = [];
  const entries = await list(root, under);
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

/** Undefined where no such folder is found. */
async function list(root: string, under: string): Promise<readonly Dirent[] | undefined> {
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
    // A link into nowhere, or in a circle.
    if (isSystemError(error)) return false;
    throw error;
  }
}

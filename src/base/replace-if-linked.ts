import { randomUUID } from 'node:crypto';
import { constants, copyFile, lstat, open, rename, rm } from 'node:fs/promises';
import { isSystemError } from './errors.js';

/**
 * Whether a file has further hard links, such as those of a snapshot by `cp -al`. Writing to it would change the
 * snapshot.
 */
export async function isLinked(path: string): Promise<boolean> {
  try {
    const stats = await lstat(path);
    return stats.isFile() && stats.nlink > 1;
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Replaces a file that has further hard links by a copy, in one step, so that it may be written to. No other process may
 * write to it meanwhile. @throws system errors.
 */
export async function replaceIfLinked(path: string): Promise<void> {
  if (!(await isLinked(path))) return;
  const copy = `${path}.${randomUUID()}`;
  try {
    await copyFile(path, copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    const handle = await open(copy, 'r+');
    await handle.sync().finally(() => handle.close());
    await rename(copy, path);
  } finally {
    await rm(copy, { force: true });
  }
}

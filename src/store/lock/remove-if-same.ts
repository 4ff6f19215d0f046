import { randomUUID } from 'node:crypto';
import { type FileHandle, link, rename, rm, stat } from 'node:fs/promises';
import { isSystemError } from '../../base/errors.js';

/** Whether the open file is the one that now stands at the path. */
export async function isOpenFileAt(handle: FileHandle, path: string): Promise<boolean> {
  const opened = await handle.stat({ bigint: true });
  try {
    const there = await stat(path, { bigint: true });
    return there.ino === opened.ino && there.dev === opened.dev;
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Removes the open file from its path, and no other that took the name since: two processes may find the
 * same stale lock, and the slower one must not remove the faster one's new lock. A rename to a name of our
 * own is the one atomic step there is; what turns out to be another's is put back. It takes an open file, as
 * the inode number of a closed one may be given to the next file.
 */
export async function removeIfSame(handle: FileHandle, path: string): Promise<void> {
  if (!(await isOpenFileAt(handle, path))) return;
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
    // EEXIST: a third one took the name by now; it and the moved one can't both have it.
    if (!(await isOpenFileAt(handle, aside))) await link(aside, path).catch(() => undefined);
    await rm(aside, { force: true });
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'ENOENT') throw error;
  }
}

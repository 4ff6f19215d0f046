import { randomUUID } from 'node:crypto';
import { type FileHandle, link, rename, rm, stat } from 'node:fs/promises';
import { isSystemError } from '../../base/errors.js';

/** Whether the path leads to the open file. */
export async function isOpenFileAt(handle: FileHandle, path: string): Promise<boolean> {
  const opened = await handle.stat({ bigint: true });
  try {
    const current = await stat(path, { bigint: true });
    return current.ino === opened.ino && current.dev === opened.dev;
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Removes the open file from its path, but no other file that has replaced it: two processes may find the
 * same stale lock, and the slower one must not remove the faster one's new lock. The only atomic step is to
 * rename the file to a unique name; if it then turns out to be another file, it is moved back. The file must
 * be open, since the inode number of a closed file may be reused.
 */
export async function removeIfSame(handle: FileHandle, path: string): Promise<void> {
  if (!(await isOpenFileAt(handle, path))) return;
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
    // EEXIST: a third process has created the path by now; only one of the two files can have it.
    if (!(await isOpenFileAt(handle, aside))) await link(aside, path).catch(() => undefined);
    await rm(aside, { force: true });
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'ENOENT') throw error;
  }
}

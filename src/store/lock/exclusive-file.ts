import { randomUUID } from 'node:crypto';
import { type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises';
import { openAtOnce } from '../../base/disk-files.js';
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
 * Renames the open file from its path to `aside`, but no other file that has replaced it: two processes may find the
 * same stale file, and the slower one must not take the faster one's new file. The only atomic step is to rename the
 * file to a unique name; if it then turns out to be another file, it is moved back. The file must be open, since the
 * inode number of a closed file may be reused.
 * @param aside a unique path in the same file system.
 * @returns whether the open file is at `aside` now; if not, nothing is.
 */
export async function takeIfSame(handle: FileHandle, path: string, aside: string): Promise<boolean> {
  if (!(await isOpenFileAt(handle, path))) return false;
  try {
    await rename(path, aside);
    if (await isOpenFileAt(handle, aside)) return true;
    // EEXIST: a third process has created the path by now; only one of the two files can have it.
    await link(aside, path).catch(() => undefined);
    await rm(aside, { force: true });
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'ENOENT') throw error;
  }
  return false;
}

/** Removes the open file from its path, but no other file that has replaced it. */
export async function removeIfSame(handle: FileHandle, path: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  if (await takeIfSame(handle, path, aside)) await rm(aside, { force: true });
}

/**
 * Creates a file with O_EXCL, so that its name is the lock among those who write it, and passes it to `write`, which
 * publishes it by a rename. It is removed afterwards if it still has its name.
 * @param staleMs age at which the file is a leftover of a process that ended, and is replaced.
 * @returns the result of `write`; undefined if another process has the file.
 * @throws system errors.
 */
export async function withExclusiveFile<T>(
  path: string,
  staleMs: number,
  write: (file: FileHandle) => Promise<T>,
): Promise<T | undefined> {
  await removeStale(path, staleMs);
  const file = await undefinedOnError(open(path, 'ax'), 'EEXIST');
  if (file === undefined) return undefined;
  try {
    return await write(file);
  } finally {
    // After success, the path does not exist or belongs to another process.
    await removeIfSame(file, path).finally(() => file.close());
  }
}

async function removeStale(path: string, staleMs: number): Promise<void> {
  const file = await undefinedOnError(openAtOnce(path), 'ENOENT');
  if (file === undefined) return;
  try {
    // If the clock was set back since, its time lies ahead.
    if (Math.abs(await readAgeMs(file, path)) > staleMs) await removeIfSame(file, path);
  } finally {
    await file.close();
  }
}

/** Milliseconds since the last write, by the clock of the file system, since those of two machines may differ. */
export async function readAgeMs(file: FileHandle, path: string): Promise<number> {
  const probe = `${path}.${randomUUID()}`;
  const handle = await open(probe, 'wx');
  try {
    const [now, last] = await Promise.all([handle.stat(), file.stat()]);
    return now.mtimeMs - last.mtimeMs;
  } finally {
    await handle.close();
    await rm(probe, { force: true });
  }
}

async function undefinedOnError<T>(access: Promise<T>, code: string): Promise<T | undefined> {
  try {
    return await access;
  } catch (error) {
    if (isSystemError(error) && error.code === code) return undefined;
    throw error;
  }
}

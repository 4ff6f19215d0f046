import { type FileHandle, open, rename } from 'node:fs/promises';
import { openAtOnce, readRegular } from '../../base/disk-files.js';
import { isSystemError } from '../../base/errors.js';
import { wait } from '../../base/wait.js';
import { isOpenFileAt, removeIfSame } from '../lock/remove-if-same.js';

/** Age at which an unfinished update was left by a process that ended. */
const STALE_MS = 10_000;
const POLL_MS = 20;

/**
 * Replaces a file by what `update` returns for its text. `<path>.update`, created with O_EXCL, is both the lock among
 * writers and the new file. The folder exists.
 * @throws system errors; the abort reason while it waits for another writer.
 */
export async function updateStateFile(
  path: string,
  update: (text: string | undefined) => string,
  signal?: AbortSignal,
): Promise<void> {
  const part = `${path}.update`;
  for (;;) {
    const handle = await openExclusively(part, signal);
    try {
      await handle.writeFile(update(await readIfPresent(path)));
      await handle.sync();
      // After a long suspension, another process may have taken over.
      if (!(await isOpenFileAt(handle, part))) continue;
      await rename(part, path);
      return;
    } finally {
      await removeIfSame(handle, part).finally(() => handle.close());
    }
  }
}

/** The text of a file; undefined if it does not exist. */
export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readRegular(path);
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

async function openExclusively(path: string, signal: AbortSignal | undefined): Promise<FileHandle> {
  for (;;) {
    try {
      return await open(path, 'wx');
    } catch (error) {
      if (!isSystemError(error) || error.code !== 'EEXIST') throw error;
    }
    if (!(await removeStale(path))) await wait(POLL_MS, signal?.aborted ? undefined : signal);
  }
}

async function removeStale(path: string): Promise<boolean> {
  const handle = await openAtOnce(path).catch(() => undefined);
  if (!handle) return true;
  try {
    if (Date.now() - (await handle.stat()).mtimeMs <= STALE_MS) return false;
    await removeIfSame(handle, path);
    return true;
  } finally {
    await handle.close();
  }
}

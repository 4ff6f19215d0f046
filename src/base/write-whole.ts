import { randomUUID } from 'node:crypto';
import { open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { diskError, isSystemError } from './errors.js';

/**
 * Writes a file that is there whole or as it was before, whatever happens on the way. What is no regular file, as a
 * pipe or /dev/null, is written to as it is.
 * @throws TickhaulError `disk`, `path_taken`.
 */
export async function writeWhole(path: string, texts: Iterable<string>): Promise<void> {
  try {
    const target = await realpath(path).catch(() => path);
    if (await isSpecial(target)) await writeFile(target, texts);
    else await replace(target, texts);
  } catch (error) {
    throw diskError(error, path);
  }
}

async function replace(path: string, texts: Iterable<string>): Promise<void> {
  const temporary = `${path}.${randomUUID()}`;
  try {
    const handle = await open(temporary, 'wx');
    try {
      await writeFile(handle, texts);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function isSpecial(path: string): Promise<boolean> {
  try {
    const stats = await stat(path);
    return !stats.isFile() && !stats.isDirectory();
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return false;
    throw error;
  }
}

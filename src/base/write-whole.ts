import { randomUUID } from 'node:crypto';
import { open, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { diskError } from './errors.js';

/**
 * Writes a regular file that is there whole or as it was before, whatever happens on the way. What a user names may be
 * something else: `writeOutput` is for that.
 * @throws TickhaulError `disk`, `path_taken`.
 */
export async function writeWhole(path: string, texts: Iterable<string>): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const temporary = `${target}.${randomUUID()}`;
  try {
    const handle = await open(temporary, 'wx');
    try {
      await writeFile(handle, texts);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw diskError(error, path);
  }
}

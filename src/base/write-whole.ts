import { randomUUID } from 'node:crypto';
import { open, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createFolder } from './create-folder.js';
import { toDiskError } from './errors.js';

/**
 * Replaces a regular file atomically: after any failure it is unchanged. Its folder is created if it is missing. A path
 * from the user may be something else; use `writeOutput` for it.
 * @param followsLinks false to replace a symbolic link, which may lead out of a folder that somebody else made.
 * @throws TickhaulError `disk`, `path_taken`.
 */
export async function writeWhole(
  path: string,
  texts: Iterable<string>,
  { followsLinks = true }: { readonly followsLinks?: boolean } = {},
): Promise<void> {
  const target = followsLinks ? await realpath(path).catch(() => path) : path;
  const temporary = `${target}.${randomUUID()}`;
  try {
    await createFolder(dirname(target));
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
    throw toDiskError(error, path);
  }
}

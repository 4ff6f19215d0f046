import { type FileHandle, lstat, rename, rm } from 'node:fs/promises';
import { diskError } from '../base/errors.js';
import { hashFile } from './file-hash.js';

/**
 * Gives a proven `.part` file its final name, once its bytes are on the disk: a power failure must not leave
 * an empty file under a name that promises a whole one. Closes the handle in any case.
 * @param sha256 of the part: a file with the same bytes stays where it is, since somebody may be reading it, and the part
 * is removed. Left out, the part replaces any file.
 * @throws TickhaulError `disk`.
 */
export async function publish(
  partPath: string,
  finalPath: string,
  handle: FileHandle,
  sha256?: string,
): Promise<void> {
  try {
    let isThere = false;
    try {
      const { size } = await handle.stat();
      isThere = sha256 !== undefined && (await holds(finalPath, size, sha256));
      if (!isThere) await handle.sync();
    } finally {
      await handle.close();
    }
    await (isThere ? rm(partPath) : rename(partPath, finalPath));
  } catch (error) {
    throw diskError(error, finalPath);
  }
}

/** Whether a file has these bytes; one that can't be read is replaced as any other. */
async function holds(path: string, size: number, sha256: string): Promise<boolean> {
  try {
    const found = await lstat(path);
    return found.isFile() && found.size === size && (await hashFile(path, 'sha256')) === sha256;
  } catch {
    return false;
  }
}

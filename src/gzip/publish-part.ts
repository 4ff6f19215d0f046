import { type FileHandle, lstat, rename, rm } from 'node:fs/promises';
import { toDiskError } from '../base/errors.js';
import { hashFile } from './checksums.js';

/**
 * Syncs a verified `.part` file and renames it to its final name. The sync comes first: after a power
 * failure, a final name must not belong to an empty file. Always closes the handle.
 * @param sha256 checksum of the part. If the final file has the same bytes, it is kept, since it may be open
 * for reading, and the part is removed. If undefined, the part replaces any file.
 * @throws TickhaulError `disk`.
 */
export async function publishPart(
  partPath: string,
  finalPath: string,
  handle: FileHandle,
  sha256?: string,
): Promise<void> {
  try {
    let isPublished = false;
    try {
      isPublished = sha256 !== undefined && (await hasSameBytes(finalPath, handle, sha256));
      if (!isPublished) await handle.sync();
    } finally {
      await handle.close();
    }
    await (isPublished ? rm(partPath) : rename(partPath, finalPath));
  } catch (error) {
    throw toDiskError(error, finalPath);
  }
}

/** Whether a file has the bytes of an open file. An unreadable file counts as different. */
async function hasSameBytes(path: string, handle: FileHandle, sha256: string): Promise<boolean> {
  try {
    const stats = await lstat(path);
    if (!stats.isFile() || stats.size !== (await handle.stat()).size) return false;
    return (await hashFile(path, 'sha256')) === sha256;
  } catch {
    return false;
  }
}

import type { Stats } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { diskError } from '../base/errors.js';
import { hashFile } from '../integrity/file-hash.js';
import { sourceError } from '../integrity/source.js';

/** What stands at a source's path before it is read. @throws TickhaulError `unreadable`. */
export async function lookAt(path: string): Promise<Stats> {
  try {
    return await stat(path);
  } catch (error) {
    throw sourceError(error, path);
  }
}

/**
 * Removes a source that was converted whole.
 * @param found what stood there before.
 * @returns false where another file stands there by now, which stays.
 */
export async function removeSame(path: string, found: Stats): Promise<boolean> {
  const { ino, size, mtimeMs } = await lookAt(path);
  if (ino !== found.ino || size !== found.size || mtimeMs !== found.mtimeMs) return false;
  await rm(path).catch((error: unknown) => {
    throw diskError(error, path);
  });
  return true;
}

/** @throws TickhaulError `unreadable`. */
export function md5Of(path: string, signal: AbortSignal): Promise<string> {
  return hashFile(path, 'md5', signal).catch((error: unknown) => {
    throw sourceError(error, path);
  });
}

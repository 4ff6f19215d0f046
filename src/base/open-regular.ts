import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { TickhaulError } from './errors.js';

/** Flag of `open` that does not wait for the other end of a pipe. Windows has neither it nor named pipes in folders. */
export const NON_BLOCKING = constants.O_NONBLOCK ?? 0;

/**
 * Opens any file for reading without waiting. Without the flag, opening a named pipe waits for its writer in
 * a thread that no signal can end.
 * @param flags added to the flags for reading.
 */
export function openAtOnce(path: string, flags = 0): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | NON_BLOCKING | flags);
}

/**
 * Opens a regular file or a folder for reading.
 * @param flags added to the flags for reading.
 * @throws TickhaulError `unreadable` for pipes and devices; system errors unchanged.
 */
export async function openRegular(path: string, flags = 0): Promise<FileHandle> {
  const handle = await openAtOnce(path, flags);
  const stats = await handle.stat();
  if (stats.isFile() || stats.isDirectory()) return handle;
  await handle.close();
  throw new TickhaulError('unreadable', `${path}: is a pipe or device, not a regular file; specify a file`);
}

/** Reads the text of a regular file; as `openRegular`, it does not wait for the writer of a pipe. */
export async function readRegular(path: string): Promise<string> {
  const handle = await openRegular(path);
  try {
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/**
 * Flag of `open` that refuses symbolic links (ELOOP), since they could lead out of the folder. Windows lacks
 * it.
 */
export const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { TickhaulError } from './errors.js';

/** Windows has no such flag, and no named pipe in its folders. */
const NON_BLOCKING = constants.O_NONBLOCK ?? 0;

/**
 * Opens anything for reading at once: without the flag the opening of a named pipe would wait for its writer in a
 * thread that no signal ends.
 * @param flags beside those of reading.
 */
export function openAtOnce(path: string, flags = 0): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | NON_BLOCKING | flags);
}

/**
 * Opens a file of data for reading.
 * @param flags beside those of reading.
 * @throws TickhaulError `unreadable` for what is no regular file; system errors as they are.
 */
export async function openRegular(path: string, flags = 0): Promise<FileHandle> {
  const handle = await openAtOnce(path, flags);
  const found = await handle.stat();
  if (found.isFile() || found.isDirectory()) return handle;
  await handle.close();
  throw new TickhaulError('unreadable', `${path}: a pipe or a device, and no regular file; name a file`);
}

import { whyNotFound } from '../base/disk-files.js';
import { TickhaulError } from '../base/errors.js';
import { toSourceError } from '../gzip/read-source.js';
import type { Files, StoredFileInfo } from './files.js';
import { isObjectLocation } from './location.js';

/** Bytes of all files of a run below which starting a thread takes longer than the work. */
export const SMALL_RUN_BYTES = 8_000_000;
/** More files than that are not looked at. */
const MAX_FILES_OF_SMALL_RUN = 32;

/**
 * Whether a run is to read its files in this thread: a single one, whose long work has helper threads, or small files.
 * Objects of a store are read at the same time, since each is a request that mostly waits.
 */
export async function isSmallRun(
  paths: readonly string[],
  files: Files,
  signal: AbortSignal,
): Promise<boolean> {
  if (paths.length <= 1) return true;
  if (paths.length > MAX_FILES_OF_SMALL_RUN || paths.some(isObjectLocation)) return false;
  // A file that is missing is an error of its job.
  const stats = await Promise.all(paths.map((path) => files.stat(path, signal).catch(() => undefined)));
  return stats.reduce((sum, found) => sum + (found?.bytes ?? 0), 0) < SMALL_RUN_BYTES;
}

/** Stats a source before it is read. @throws TickhaulError `unreadable`, errors of the store. */
export async function statSource(files: Files, path: string, signal: AbortSignal): Promise<StoredFileInfo> {
  const found = await files.stat(path, signal).catch((error: unknown) => {
    throw toSourceError(error, path);
  });
  if (found) return found;
  const why = whyNotFound(
    path,
    'cannot be read: it does not exist, or is a pipe or a device instead of a regular file',
  );
  throw new TickhaulError('unreadable', `${path}: ${why}`);
}

import { TickhaulError } from '../base/errors.js';
import { whyNotFound } from '../base/utf8-name.js';
import { toSourceError } from '../integrity/read-source.js';
import type { Files, StoredFileInfo } from './files.js';

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

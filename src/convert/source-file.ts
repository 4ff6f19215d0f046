import { TickhaulError } from '../base/errors.js';
import { whyNotFound } from '../base/utf8-name.js';
import { hashFile } from '../integrity/file-hash.js';
import type { TextSink } from '../integrity/gunzip.js';
import { readSource, sourceError } from '../integrity/source.js';
import type { FileFacts, Files } from '../store/files.js';
import type { SourceBytes } from './output/record.js';

/** What stands at a source's location before it is read. @throws TickhaulError `unreadable`; what a store throws. */
export async function lookAt(files: Files, path: string, signal: AbortSignal): Promise<FileFacts> {
  const found = await files.look(path, signal).catch((error: unknown) => {
    throw sourceError(error, path);
  });
  if (found) return found;
  const why = whyNotFound(path, "can't be read: it is gone, or a pipe or a device, and no regular file");
  throw new TickhaulError('unreadable', `${path}: ${why}`);
}

/**
 * Reads a source to its end, and gives its text.
 * @param found what stood there before: an object that is still the same is told with its ETag.
 * @param onBytes told of compressed bytes as they are read.
 * @throws as `readSource` does.
 */
export async function readFound(
  files: Files,
  path: string,
  found: FileFacts,
  onText: TextSink,
  onBytes: (count: number) => void,
  signal: AbortSignal,
): Promise<SourceBytes> {
  const read = await readSource(path, onText, onBytes, signal, files.read);
  const { etag } = found;
  if (etag === undefined) return read;
  return (await files.look(path, signal))?.etag === etag ? { ...read, etag } : read;
}

/**
 * Removes a source that was converted whole.
 * @param found what stood there before.
 * @returns false where another file stands there by now, which stays.
 */
export async function removeSame(
  files: Files,
  path: string,
  found: FileFacts,
  signal: AbortSignal,
): Promise<boolean> {
  const { bytes, etag, version } = await lookAt(files, path, signal);
  if (bytes !== found.bytes || etag !== found.etag || version !== found.version) return false;
  await files.remove(path, signal);
  return true;
}

/** @throws TickhaulError `unreadable`; what a store throws. */
export function md5Of(files: Files, path: string, signal: AbortSignal): Promise<string> {
  return hashFile(path, 'md5', signal, files.read).catch((error: unknown) => {
    throw sourceError(error, path);
  });
}

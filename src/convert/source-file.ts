import type { TextSink } from '../integrity/gunzip.js';
import { hashFile } from '../integrity/hash-file.js';
import { readSource, toSourceError } from '../integrity/read-source.js';
import type { Files, StoredFileInfo } from '../store/files.js';
import { isObjectLocation } from '../store/location.js';
import { createReadAhead } from '../store/read-ahead.js';
import { statSource } from '../store/stat-source.js';
import type { SourceContent } from './output/provenance.js';

/**
 * Reads a source to its end and passes its text to `onText`. The result has the ETag if the object did not
 * change during the read.
 * @param found result of `statSource` before the read.
 * @param onBytes called with the number of compressed bytes just read.
 * @param inflateThreads as in `GzipReadOptions`.
 * @throws as `readSource` does.
 */
export async function readUnchangedSource(
  files: Files,
  path: string,
  found: StoredFileInfo,
  onText: TextSink,
  onBytes: (count: number) => void,
  signal: AbortSignal,
  inflateThreads?: number,
): Promise<SourceContent> {
  const readBytes = inflateThreads && isObjectLocation(path) ? createReadAhead(files) : files.read;
  const read = await readSource(path, onText, onBytes, signal, readBytes, inflateThreads);
  const { etag } = found;
  if (etag === undefined) return read;
  return (await files.stat(path, signal))?.etag === etag ? { ...read, etag } : read;
}

/**
 * Removes a source after its conversion.
 * @param found result of `statSource` before the conversion.
 * @returns false if the file has changed since; then it is kept.
 */
export async function removeIfUnchanged(
  files: Files,
  path: string,
  found: StoredFileInfo,
  signal: AbortSignal,
): Promise<boolean> {
  const { bytes, etag, version } = await statSource(files, path, signal);
  if (bytes !== found.bytes || etag !== found.etag || version !== found.version) return false;
  await files.remove(path, signal);
  return true;
}

/** @throws TickhaulError `unreadable`, errors of the store. */
export function hashSource(files: Files, path: string, signal: AbortSignal): Promise<string> {
  return hashFile(path, 'md5', signal, files.read).catch((error: unknown) => {
    throw toSourceError(error, path);
  });
}

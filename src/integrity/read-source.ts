import { createHash } from 'node:crypto';
import { ERROR_TABLE, isSystemError, TickhaulError } from '../base/errors.js';
import { LARGE_TEXT_CHUNK_BYTES, type TextSink } from './gunzip.js';
import { type ReadChunks, readChunks } from './read-chunks.js';
import { type GzipReader, type GzipReadOptions, readGzip } from './read-gzip.js';

/** Size and checksum of a source, found while reading it. */
export interface SourceFacts {
  /** Compressed size. */
  readonly bytes: number;
  readonly md5: string;
}

/**
 * Reads a `.csv.gz` file to its end and passes its text to `onText`.
 * @param onBytes receives the number of compressed bytes of each chunk. @param read reads the file's bytes.
 * @param inflateThreads as in `GzipReadOptions`.
 * @throws like `readSourceText`.
 */
export async function readSource(
  path: string,
  onText: TextSink,
  onBytes: (count: number) => void,
  signal: AbortSignal,
  read: ReadChunks = readChunks,
  inflateThreads?: number,
): Promise<SourceFacts> {
  const md5 = createHash('md5');
  let bytes = 0;
  const onChunk = (chunk: Buffer): void => {
    bytes += chunk.length;
    md5.update(chunk);
    onBytes(chunk.length);
  };
  await readSourceText(path, { onBytes: onChunk, onText }, signal, {
    read,
    textChunk: LARGE_TEXT_CHUNK_BYTES,
    inflateThreads,
  });
  return { bytes, md5: md5.digest('hex') };
}

/**
 * Reads a `.csv.gz` file to its end.
 * @param options defaults to large chunks of a local file.
 * @throws TickhaulError `corrupt` with the path if it is not a complete gzip file, `unreadable`; what the
 * reader throws.
 */
export async function readSourceText(
  path: string,
  { onBytes, onText }: GzipReader,
  signal: AbortSignal,
  options?: GzipReadOptions,
): Promise<void> {
  let textError: unknown;
  const onCheckedText = async (text: Buffer): Promise<void> => {
    try {
      await onText(text);
    } catch (error) {
      textError = error;
      throw error;
    }
  };
  try {
    await readGzip(path, { onBytes, onText: onCheckedText }, signal, options);
  } catch (error) {
    if (error === textError) throw error;
    if (!(error instanceof TickhaulError) || error.code !== 'corrupt') throw toSourceError(error, path);
    throw new TickhaulError('corrupt', `${path}: ${error.message}; download the file again`, {
      cause: error,
    });
  }
}

const SYSTEM_ERROR_REASONS: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EPERM: 'no permission',
  ENOENT: 'it no longer exists',
  EISDIR: 'it is a folder',
};

/**
 * Converts a system error of reading a source to `unreadable`, which affects no other file. Returns other
 * errors unchanged, including those of an object store.
 */
export function toSourceError(error: unknown, path: string): unknown {
  const isTickhaulError = error instanceof TickhaulError;
  const cause = isTickhaulError ? error.cause : error;
  if (!isSystemError(cause) || (isTickhaulError && error.exitCode !== ERROR_TABLE.disk.exitCode))
    return error;
  return new TickhaulError(
    'unreadable',
    `cannot read ${path}: ${SYSTEM_ERROR_REASONS[cause.code] ?? cause.code}`,
    {
      cause,
    },
  );
}

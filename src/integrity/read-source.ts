import { createHash } from 'node:crypto';
import { ERROR_TABLE, isSystemError, TickhaulError } from '../base/errors.js';
import { LARGE_TEXT_CHUNK_BYTES, type TextSink } from './gunzip.js';
import { type ReadChunks, readChunks } from './read-chunks.js';
import { type GzipReader, type GzipReadOptions, readGzip } from './read-gzip.js';

/** What one reading of a source found. */
export interface SourceFacts {
  /** Compressed size. */
  readonly bytes: number;
  readonly md5: string;
}

/**
 * Reads a `.csv.gz` file to its end, and gives its text.
 * @param onBytes told of compressed bytes as they are read. @param read how the file's bytes are read.
 * @throws as `readText` does.
 */
export async function readSource(
  path: string,
  onText: TextSink,
  onBytes: (count: number) => void,
  signal: AbortSignal,
  read: ReadChunks = readChunks,
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
  });
  return { bytes, md5: md5.digest('hex') };
}

/**
 * Reads a `.csv.gz` file to its end.
 * @param reading left out, in large chunks of an open file.
 * @throws TickhaulError `createCorruptError` that names the file when it is no whole gzip file, `unreadable`, and what the reader
 * throws.
 */
export async function readSourceText(
  path: string,
  { onBytes, onText }: GzipReader,
  signal: AbortSignal,
  reading?: GzipReadOptions,
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
    await readGzip(path, { onBytes, onText: onCheckedText }, signal, reading);
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
  ENOENT: 'it is no longer there',
  EISDIR: 'it is a folder',
};

/**
 * A system error of reading a source, which concerns no other file; anything else is returned as it is, and so what kept
 * a store from being read.
 */
export function toSourceError(error: unknown, path: string): unknown {
  const isOurs = error instanceof TickhaulError;
  const cause = isOurs ? error.cause : error;
  if (!isSystemError(cause) || (isOurs && error.exitCode !== ERROR_TABLE.disk.exitCode)) return error;
  return new TickhaulError(
    'unreadable',
    `${path}: can't be read: ${SYSTEM_ERROR_REASONS[cause.code] ?? cause.code}`,
    {
      cause,
    },
  );
}

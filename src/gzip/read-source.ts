import { ERROR_TABLE, isSystemError, TickhaulError } from '../base/errors.js';
import type { BytesFacts, HashName } from './checksums.js';
import { DOWNLOAD_AGAIN } from './gunzip.js';
import { type GzipReadOptions, readGzip } from './read-gzip.js';

/**
 * Reads a `.csv.gz` file to its end as `readGzip` does, with errors for the user.
 * @throws TickhaulError `corrupt` with the path if it is not a complete gzip file, `unreadable`; the abort reason; errors
 * of the functions in the options.
 */
export async function readSource<Name extends HashName = never>(
  path: string,
  options: GzipReadOptions<Name>,
): Promise<BytesFacts<Name>> {
  let textError: unknown;
  const onText = async (text: Buffer): Promise<void> => {
    try {
      await options.onText(text);
    } catch (error) {
      textError = error;
      throw error;
    }
  };
  try {
    return await readGzip(path, { ...options, onText });
  } catch (error) {
    if (error === textError) throw error;
    if (!(error instanceof TickhaulError) || error.code !== 'corrupt') throw toSourceError(error, path);
    throw new TickhaulError('corrupt', `${path}: ${error.message}; ${DOWNLOAD_AGAIN}`, { cause: error });
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

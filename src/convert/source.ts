import { createHash } from 'node:crypto';
import { TickhaulError } from '../errors.js';
import { startGunzip, type TextSink } from '../integrity/gunzip.js';
import { readChunks } from '../integrity/proof.js';

/** What one reading of a source found. */
export interface ReadSource {
  /** Compressed size. */
  readonly bytes: number;
  readonly md5: string;
}

/**
 * Reads a `.csv.gz` file to its end, and gives its text.
 * @param onBytes told of compressed bytes as they are read.
 * @throws TickhaulError `corrupt` that names the file when it is no whole gzip file, `disk`, and what `onText` throws.
 */
export async function readSource(
  path: string,
  onText: TextSink,
  onBytes: (count: number) => void,
  signal: AbortSignal,
): Promise<ReadSource> {
  const md5 = createHash('md5');
  let bytes = 0;
  let textError: unknown;
  const gunzip = startGunzip(async (text) => {
    try {
      await onText(text);
    } catch (error) {
      textError = error;
      throw error;
    }
  });
  try {
    await readChunks(
      path,
      async (chunk) => {
        bytes += chunk.length;
        const used = gunzip.write(chunk);
        md5.update(chunk);
        await used;
        onBytes(chunk.length);
      },
      signal,
    );
    await gunzip.finish();
    return { bytes, md5: md5.digest('hex') };
  } catch (error) {
    if (error === textError || !(error instanceof TickhaulError) || error.code !== 'corrupt') throw error;
    throw new TickhaulError('corrupt', `${path}: ${error.message}; download the file again`, {
      cause: error,
    });
  } finally {
    gunzip.destroy();
  }
}

/** The md5 of a file's bytes, in hex digits. @throws TickhaulError `disk`. */
export async function md5Of(path: string, signal: AbortSignal): Promise<string> {
  const md5 = createHash('md5');
  await readChunks(
    path,
    async (chunk) => {
      md5.update(chunk);
    },
    signal,
  );
  return md5.digest('hex');
}

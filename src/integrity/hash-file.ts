import { createHash } from 'node:crypto';
import { type ReadChunks, readChunks } from './read-chunks.js';

/**
 * The checksum of a file, in hex digits.
 * @param read reads the file. @throws TickhaulError `disk`, and what `read` throws.
 */
export async function hashFile(
  path: string,
  algorithm: 'md5' | 'sha256',
  signal?: AbortSignal,
  read: ReadChunks = readChunks,
): Promise<string> {
  const hash = createHash(algorithm);
  await read(
    path,
    async (chunk) => {
      hash.update(chunk);
    },
    signal,
  );
  return hash.digest('hex');
}

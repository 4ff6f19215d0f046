import { createHash } from 'node:crypto';
import { type ReadChunks, readChunks } from './read-chunks.js';

/**
 * The checksum of a file's bytes, in hex digits.
 * @param read how they are read. @throws TickhaulError `disk`, and what `read` throws.
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

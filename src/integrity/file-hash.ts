import { createHash } from 'node:crypto';
import { type ReadChunks, readChunks } from './read-chunks.js';

/** The checksum of a file's bytes, in hex digits. @throws TickhaulError `disk`. */
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

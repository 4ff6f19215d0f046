import { Decompress } from 'fzstd';
import { type ReadChunks, readChunks } from '../base/disk-files.js';
import { TickhaulError } from '../base/errors.js';
import { readSource } from '../gzip/read-source.js';
import { ZstdFrames } from './decompress.js';

/**
 * Passes the text of a file to `onText`: inflated if its name ends in `.gz`, decompressed if it ends in `.zst`.
 * @param read reads the file's bytes.
 * @returns the size of the file.
 * @throws TickhaulError `corrupt`, `disk`, and errors of `read`.
 */
export async function readTextFile(
  path: string,
  onText: (text: Buffer) => void,
  signal: AbortSignal,
  read: ReadChunks = readChunks,
): Promise<number> {
  if (path.endsWith('.gz')) return (await readSource(path, { onText, read, signal })).bytes;
  let bytes = 0;
  const zstd = path.endsWith('.zst')
    ? new Decompress((text) => onText(Buffer.from(text.buffer, text.byteOffset, text.length)))
    : undefined;
  const frames = new ZstdFrames();
  const push = (chunk: Uint8Array, final: boolean): void => {
    try {
      if (zstd) frames.push(chunk);
      zstd?.push(chunk, final);
    } catch (error) {
      if (error instanceof TickhaulError || !(error instanceof Error)) throw error;
      throw new TickhaulError('corrupt', `${path}: not a complete zstd stream: ${error.message}`, {
        cause: error,
      });
    }
  };
  await read(
    path,
    async (chunk) => {
      bytes += chunk.length;
      if (zstd) push(Uint8Array.from(chunk), false);
      else onText(chunk);
    },
    signal,
  );
  if (zstd && bytes === 0)
    throw new TickhaulError('corrupt', `${path}: not a complete zstd stream: it has 0 bytes`);
  push(new Uint8Array(), true);
  return bytes;
}

import { stat } from 'node:fs/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import { abortReason, diskError, TickhaulError } from '../base/errors.js';
import { openRegular } from '../base/open-regular.js';
import type { ReadChunks } from '../integrity/read-chunks.js';

/** How many files are open at once, whatever the number of those that are read. */
export type OpenFiles = LimitFunction;

export function limitOpenFiles(most: number): OpenFiles {
  return pLimit(most);
}

/**
 * Reads many files side by side with few handles: a file is opened anew for each chunk, and closed behind it.
 * @param chunk bytes that are read at once; each file has a buffer of so many.
 */
export function readInTurns(files: OpenFiles, chunk: number): ReadChunks {
  return async (path, use, signal) => {
    try {
      const { ino, size } = await stat(path);
      const buffer = Buffer.allocUnsafe(Math.min(chunk, size + 1));
      for (let position = 0; ; ) {
        if (signal?.aborted) throw abortReason(signal);
        const bytesRead = await files(() => readAt(path, ino, buffer, position));
        if (bytesRead === 0) return;
        position += bytesRead;
        await use(buffer.subarray(0, bytesRead));
      }
    } catch (error) {
      throw diskError(error, path);
    }
  };
}

async function readAt(path: string, ino: number, buffer: Buffer, position: number): Promise<number> {
  const handle = await openRegular(path);
  try {
    if ((await handle.stat()).ino !== ino) {
      throw new TickhaulError(
        'changed',
        `${path}: it was replaced while it was read; run the same command again`,
      );
    }
    return (await handle.read(buffer, 0, buffer.length, position)).bytesRead;
  } finally {
    await handle.close();
  }
}

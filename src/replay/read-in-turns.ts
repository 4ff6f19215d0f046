import { stat } from 'node:fs/promises';
import pLimit from 'p-limit';
import { abortReason, diskError, TickhaulError } from '../base/errors.js';
import { openRegular } from '../base/open-regular.js';
import type { ReadChunks } from '../integrity/read-chunks.js';

/** Bytes: several hundred inputs have one each. */
const CHUNK = 64 * 1024;
/** Files that are open at once, whatever the number of inputs. */
const OPEN_FILES = 16;

/** Reads many files side by side with few handles: a file is opened anew for each chunk, and closed behind it. */
export function readInTurns(): ReadChunks {
  const limit = pLimit(OPEN_FILES);
  return async (path, use, signal) => {
    try {
      const { ino, size } = await stat(path);
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK, size + 1));
      for (let position = 0; ; ) {
        if (signal?.aborted) throw abortReason(signal);
        const bytesRead = await limit(() => readAt(path, ino, buffer, position));
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

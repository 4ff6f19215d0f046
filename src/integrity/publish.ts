import { type FileHandle, rename } from 'node:fs/promises';
import { diskError } from '../base/errors.js';

/**
 * Gives a proven `.part` file its final name, once its bytes are on the disk: a power failure must not leave
 * an empty file under a name that promises a whole one. Closes the handle in any case.
 * @throws TickhaulError `disk`.
 */
export async function publish(partPath: string, finalPath: string, handle: FileHandle): Promise<void> {
  try {
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(partPath, finalPath);
  } catch (error) {
    throw diskError(error, finalPath);
  }
}

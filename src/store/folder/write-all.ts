import type { FileHandle } from 'node:fs/promises';
import { toDiskError } from '../../base/errors.js';

/** @param position where in the file. @param path for errors. @throws TickhaulError `disk`. */
export async function writeAll(
  handle: FileHandle,
  bytes: Uint8Array,
  position: number,
  path: string,
): Promise<void> {
  try {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
      done += bytesWritten;
    }
  } catch (error) {
    throw toDiskError(error, path);
  }
}

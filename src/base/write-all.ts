import type { FileHandle } from 'node:fs/promises';
import { toDiskError } from './errors.js';

/** Writes all bytes at a position. @param path for errors. @throws TickhaulError `disk`. */
export async function writeAll(
  handle: FileHandle,
  bytes: Uint8Array,
  position: number,
  path: string,
): Promise<void> {
  try {
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, position + written);
      written += bytesWritten;
    }
  } catch (error) {
    throw toDiskError(error, path);
  }
}

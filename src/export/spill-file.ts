import { randomUUID } from 'node:crypto';
import { open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TickhaulError, toDiskError } from '../base/errors.js';
import { writeAll } from '../base/write-all.js';

/** A temporary file for rows that do not fit in memory. Calls must not overlap. */
export interface SpillFile {
  /** Bytes written so far. */
  readonly bytes: number;
  /** Appends bytes; they may be reused when it resolves. @throws TickhaulError `disk`. */
  write(bytes: Uint8Array): Promise<void>;
  /** Fills `target` with the bytes from a position on. @throws TickhaulError `disk`. */
  read(target: Uint8Array, position: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a spill file in the folder for temporary files (`TMPDIR`). Its name is removed at once, so that the system frees
 * it even if the process is killed.
 * @throws TickhaulError `disk`.
 */
export async function openSpillFile(): Promise<SpillFile> {
  const path = join(tmpdir(), `tickhaul-export-${randomUUID()}`);
  const toError = (error: unknown): unknown => toDiskError(error, path, 'disk');
  const handle = await open(path, 'wx+', 0o600).catch((error: unknown) => {
    throw toError(error);
  });
  await unlink(path).catch(() => undefined);
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    async write(chunk) {
      await writeAll(handle, chunk, bytes, path);
      bytes += chunk.length;
    },
    async read(target, position) {
      for (let done = 0; done < target.length; ) {
        const { bytesRead } = await handle
          .read(target, done, target.length - done, position + done)
          .catch((error: unknown) => {
            throw toError(error);
          });
        if (bytesRead === 0)
          throw new TickhaulError('disk', `${path}: ends before byte ${position + target.length}`);
        done += bytesRead;
      }
    },
    async close() {
      await handle.close();
      // On a system that keeps the names of open files.
      await unlink(path).catch(() => undefined);
    },
  };
}

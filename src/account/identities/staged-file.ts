import {
  closeSync,
  fchmodSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Larger than a usual identity. */
const RESERVED_BYTES = 64 * 1024;

/** A temporary file next to the file that it will replace. */
export interface StagedFile {
  /** Writes, syncs and renames synchronously. */
  commit(text: string): void;
  /** Removes the temporary file; does nothing after a commit. */
  discard(): void;
}

/**
 * Creates a temporary file and reserves its disk space. A refresh token is used up when it is sent, so a full or
 * read-only disk must be detected before that. The calls are synchronous so that nothing can run between the response
 * and the write.
 * @param temporary a path in the same folder. @param mode permissions of a new file.
 */
export function stageFile(temporary: string, path: string, mode: number): StagedFile {
  const file = openSync(temporary, 'wx', mode);
  let isOpen = true;
  let isCommitted = false;
  const close = (): void => {
    if (isOpen) closeSync(file);
    isOpen = false;
  };
  const discard = (): void => {
    close();
    if (!isCommitted) rmSync(temporary, { force: true });
  };
  try {
    // The umask may have removed permissions of this user, too.
    fchmodSync(file, mode);
    writeAll(file, Buffer.alloc(RESERVED_BYTES, ' '));
    fsyncSync(file);
  } catch (error) {
    discard();
    throw error;
  }
  return {
    discard,
    commit(text) {
      const bytes = Buffer.from(text);
      writeAll(file, bytes);
      ftruncateSync(file, bytes.length);
      fsyncSync(file);
      close();
      renameSync(temporary, path);
      isCommitted = true;
      syncFolder(dirname(path));
    },
  };
}

function writeAll(file: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, done);
}

/** Makes the new name survive a power failure. Not every file system supports it. */
function syncFolder(path: string): void {
  try {
    const folder = openSync(path, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch {
    // Ignore errors: the content of the file is already synced.
  }
}

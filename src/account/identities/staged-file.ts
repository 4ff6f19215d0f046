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

/** Room for an identity of the usual kind. */
const RESERVED_BYTES = 64 * 1024;

/** A file that is ready to be written, beside the one that it will replace. */
export interface StagedFile {
  /** Writes, syncs and renames without giving way to anything else. */
  commit(text: string): void;
  /** Removes it; does nothing after a commit. */
  discard(): void;
}

/**
 * Makes a file ready, with its bytes reserved on the disk: a refresh token is used up the moment it is sent, so
 * a full or read-only disk must show before that, and nothing may come between the answer and the write. Hence
 * the synchronous calls.
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
    // The umask may have taken away more than others' permissions.
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

/** So that the new name outlives a power failure; not every file system can. */
function syncFolder(path: string): void {
  try {
    const folder = openSync(path, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch {
    // The file itself is on the disk.
  }
}

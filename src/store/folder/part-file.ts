import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createFolder } from '../../base/create-folder.js';
import { isSystemError, TickhaulError, toDiskError } from '../../base/errors.js';
import { writeAll } from '../../base/write-all.js';
import { publishPart } from '../../integrity/publish-part.js';
import type { PartFile } from '../files.js';
import { removeIfSame, takeIfSame } from '../lock/remove-if-same.js';
import { partPath } from '../part-path.js';
import { createEarlySync } from './early-sync.js';

/**
 * Creates a part file. Its `publish` syncs and renames it.
 * @param path path of the part. Use a private one if another run may write the same file.
 * @throws TickhaulError `disk`, `path_taken`. So do `write` and `publish`, which also throw `locked` if
 * another run has taken the path.
 */
export async function openPartFile(target: string, path = partPath(target)): Promise<PartFile> {
  const handle = await create(path, target);
  const earlySync = createEarlySync(handle);
  let written = 0;
  let isOpen = true;
  /** The private path of the part once it is being published. */
  let ownPath: string | undefined;
  return {
    async write(bytes) {
      await writeAll(handle, bytes, written, path).catch(async (error: unknown) => {
        await handle.truncate(written).catch(() => {});
        throw error;
      });
      written += bytes.length;
      earlySync.onWritten(bytes.length);
    },
    async publish() {
      // Sync before the check: it may take seconds, in which another run may take the path.
      await earlySync
        .end()
        .then(() => handle.sync())
        .catch((error: unknown) => {
          throw toDiskError(error, path);
        });
      // Between a check of the path and a rename from it, another run could take it.
      const own = partPath(`${target}.${randomUUID().slice(0, 8)}`);
      const isOurs = await takeIfSame(handle, path, own).catch((error: unknown) => {
        throw toDiskError(error, target);
      });
      if (!isOurs) throw lockedError(target);
      ownPath = own;
      await publishPart(own, target, handle);
      isOpen = false;
      return undefined;
    },
    async discard() {
      if (!isOpen) return;
      isOpen = false;
      await earlySync.end().catch(() => {});
      await removeIfSame(handle, path).catch(() => {});
      await handle.close().catch(() => {});
      if (ownPath !== undefined) await rm(ownPath, { force: true }).catch(() => {});
    },
  };
}

/**
 * An existing part is a leftover, or belongs to another run, whose file must not be written to: so remove it
 * first.
 */
async function create(path: string, target: string): Promise<FileHandle> {
  try {
    await createFolder(dirname(path));
    await removeFile(path);
    return await open(path, 'wx');
  } catch (error) {
    // Another run has created the part at the same time.
    if (isSystemError(error) && error.code === 'EEXIST') throw lockedError(target);
    throw toDiskError(error, path);
  }
}

function lockedError(target: string): TickhaulError {
  return new TickhaulError('locked', `${target}: another run is writing this file; wait until it has ended`);
}

/** Does nothing if the file does not exist. */
async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'ENOENT') throw error;
  }
}

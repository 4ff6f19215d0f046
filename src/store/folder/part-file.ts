import type { BigIntStats } from 'node:fs';
import { type FileHandle, open, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createFolder } from '../../base/create-folder.js';
import { isSystemError, TickhaulError, toDiskError } from '../../base/errors.js';
import { publishPart } from '../../integrity/publish-part.js';
import type { PartFile } from '../files.js';
import { createEarlySync } from './early-sync.js';
import { writeAll } from './write-all.js';

/**
 * Opens a file in the making; `publishPart` syncs and renames it.
 * @param path where the bytes gather; a name of its own where another run may be making the same file.
 * @throws TickhaulError `disk`, `path_taken`; `appendOrWrite` and `publishPart` too, and `locked` where another run took the name.
 */
export async function openPartFile(target: string, path = `${target}.part`): Promise<PartFile> {
  const handle = await create(path, target);
  const early = createEarlySync(handle);
  const made = await handle.stat({ bigint: true });
  let written = 0;
  let open = true;
  return {
    async write(bytes) {
      await writeAll(handle, bytes, written, path).catch(async (error: unknown) => {
        await handle.truncate(written).catch(() => {});
        throw error;
      });
      written += bytes.length;
      early.onWritten(bytes.length);
    },
    async publish() {
      // This may take seconds, in which another run may take the name.
      await early
        .end()
        .then(() => handle.sync())
        .catch((error: unknown) => {
          throw toDiskError(error, path);
        });
      if (!(await isSameFile(made, path))) throw lockedError(target);
      await publishPart(path, target, handle);
      open = false;
      return undefined;
    },
    async discard() {
      if (!open) return;
      open = false;
      await early.end().catch(() => {});
      const ours = await isSameFile(made, path).catch(() => false);
      await handle.close().catch(() => {});
      if (ours) await removeFile(path).catch(() => {});
    },
  };
}

/** A part that is there was left by a killed run, or is another's: that one's handle must not be written to. */
async function create(path: string, target: string): Promise<FileHandle> {
  try {
    await createFolder(dirname(path));
    await removeFile(path);
    return await open(path, 'wx');
  } catch (error) {
    // One that began in the same moment.
    if (isSystemError(error) && error.code === 'EEXIST') throw lockedError(target);
    throw toDiskError(error, path);
  }
}

function lockedError(target: string): TickhaulError {
  return new TickhaulError('locked', `${target}: another run is making this file; let it end first`);
}

/** Nothing where there is none. */
async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'ENOENT') throw error;
  }
}

async function isSameFile(made: BigIntStats, path: string): Promise<boolean> {
  try {
    const there = await stat(path, { bigint: true });
    return made.ino === there.ino && made.dev === there.dev;
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return false;
    throw error;
  }
}

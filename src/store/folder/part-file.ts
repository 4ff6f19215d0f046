import type { BigIntStats } from 'node:fs';
import { type FileHandle, open, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { diskError, isSystemError, TickhaulError } from '../../base/errors.js';
import { makeFolder } from '../../base/make-folder.js';
import { publish } from '../../integrity/publish.js';
import type { PartFile } from '../files.js';
import { earlySync } from './early-sync.js';
import { writeAll } from './write-all.js';

/**
 * Opens a file in the making; `publish` syncs and renames it.
 * @param path where the bytes gather; a name of its own where another run may be making the same file.
 * @throws TickhaulError `disk`, `path_taken`; `write` and `publish` too, and `locked` where another run took the name.
 */
export async function openPartFile(target: string, path = `${target}.part`): Promise<PartFile> {
  const handle = await create(path, target);
  const early = earlySync(handle);
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
      early.wrote(bytes.length);
    },
    async publish() {
      // This may take seconds, in which another run may take the name.
      await early
        .end()
        .then(() => handle.sync())
        .catch((error: unknown) => {
          throw diskError(error, path);
        });
      if (!(await isAt(made, path))) throw lockedError(target);
      await publish(path, target, handle);
      open = false;
      return undefined;
    },
    async discard() {
      if (!open) return;
      open = false;
      await early.end().catch(() => {});
      const ours = await isAt(made, path).catch(() => false);
      await handle.close().catch(() => {});
      if (ours) await removeFile(path).catch(() => {});
    },
  };
}

/** A part that is there was left by a killed run, or is another's: that one's handle must not be written to. */
async function create(path: string, target: string): Promise<FileHandle> {
  try {
    await makeFolder(dirname(path));
    await removeFile(path);
    return await open(path, 'wx');
  } catch (error) {
    // One that began in the same moment.
    if (isSystemError(error) && error.code === 'EEXIST') throw lockedError(target);
    throw diskError(error, path);
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

async function isAt(made: BigIntStats, path: string): Promise<boolean> {
  try {
    const there = await stat(path, { bigint: true });
    return made.ino === there.ino && made.dev === there.dev;
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return false;
    throw error;
  }
}

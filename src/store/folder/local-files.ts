import { randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { type FileHandle, open, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  createFolder,
  openRegular,
  pathExists,
  readAll,
  readChunks,
  writeAll,
} from '../../base/disk-files.js';
import { isSystemError, TickhaulError, toDiskError } from '../../base/errors.js';
import type { Files, PartFile, RandomAccess, StoredFileInfo } from '../files.js';
import { isOpenFileAt, removeIfSame, takeIfSame } from '../lock/exclusive-file.js';
import { partPath } from '../part-path.js';
import { exportLogPath, manifestPath } from '../paths.js';

/** Accesses local files. */
export const localFiles: Files = {
  stat: statFile,
  read: readChunks,
  openRandom,
  openPart: (path, part) => openPartFile(path, part),
  async remove(path) {
    await rm(path, { force: true }).catch((error: unknown) => {
      throw toDiskError(error, path);
    });
  },
  hasRecords: async (path) => (await pathExists(manifestPath(path))) || pathExists(exportLogPath(path)),
  async close() {},
};

/** Ignores pipes and devices, since reading them may never end. */
async function statFile(path: string): Promise<StoredFileInfo | undefined> {
  try {
    const stats = await stat(path);
    if (!stats.isFile()) return undefined;
    const { size: bytes, ino, mtimeMs: modifiedMs } = stats;
    return { bytes, version: `${ino} ${modifiedMs}`, modifiedMs };
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined;
    throw toDiskError(error, path);
  }
}

async function openRandom(path: string): Promise<RandomAccess> {
  try {
    const handle = await openRegular(path);
    const { size } = await handle.stat();
    return {
      bytes: size,
      read: (position, length) => readRange(handle, position, length, path),
      close: () => handle.close(),
    };
  } catch (error) {
    throw toDiskError(error, path);
  }
}

async function readRange(
  handle: FileHandle,
  position: number,
  length: number,
  path: string,
): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  if (await readAll(handle, bytes, position, path)) return bytes;
  throw new TickhaulError('corrupt', `${path}: truncated: ends before byte ${position + length}`);
}

/**
 * Creates a part file. Its `publish` syncs and renames it.
 * @param privatePath path of the part if no other run uses it; otherwise runs that write the same file share a path, and
 * the last one to open it takes it over.
 * @throws TickhaulError `disk`, `path_taken`. So do `write` and `publish`, which also throw `locked` if
 * another run has taken the path.
 */
export async function openPartFile(target: string, privatePath?: string): Promise<PartFile> {
  const isPrivate = privatePath !== undefined;
  const path = privatePath ?? partPath(target);
  let handle = await create(path, target);
  let earlySync = createEarlySync(handle);
  /** What shows that the file is the same, while it is suspended. */
  let suspended: BigIntStats | undefined;
  let written = 0;
  let isOpen = true;
  /** Path to which a shared part is moved in the moment of its publication. */
  const ownPath = partPath(`${target}.${randomUUID().slice(0, 8)}`);
  const resume = async (): Promise<void> => {
    if (!suspended) return;
    handle = await reopen(path, target, suspended);
    earlySync = createEarlySync(handle);
    suspended = undefined;
  };
  return {
    location: target,
    async write(bytes) {
      await resume();
      await writeAll(handle, bytes, written, path).catch(async (error: unknown) => {
        await handle.truncate(written).catch(() => {});
        throw error;
      });
      written += bytes.length;
      earlySync.onWritten(bytes.length);
    },
    async suspend() {
      if (suspended) return;
      try {
        await earlySync.end();
        const opened = await handle.stat({ bigint: true });
        await handle.close();
        suspended = opened;
      } catch (error) {
        throw toDiskError(error, path);
      }
    },
    async publish(finalPath = target) {
      await resume();
      // Sync before the check: it may take seconds, in which another run may take the path.
      await earlySync
        .end()
        .then(() => handle.sync())
        .catch((error: unknown) => {
          throw toDiskError(error, path);
        });
      try {
        // Between a check of a shared path and a rename from it, another run could take it.
        const isOurs = isPrivate ? await isOpenFileAt(handle, path) : await takeIfSame(handle, path, ownPath);
        if (!isOurs) throw lockedError(finalPath);
        await rename(isPrivate ? path : ownPath, finalPath);
        await handle.close();
      } catch (error) {
        throw toDiskError(error, finalPath);
      }
      isOpen = false;
      return undefined;
    },
    async discard() {
      if (!isOpen) return;
      isOpen = false;
      // If it cannot be opened again, it is another run's, or gone.
      if (
        !(await resume().then(
          () => true,
          () => false,
        ))
      )
        return;
      await earlySync.end().catch(() => {});
      await removeIfSame(handle, path).catch(() => {});
      await handle.close().catch(() => {});
      await rm(ownPath, { force: true }).catch(() => {});
    },
  };
}

/** Opens a part again. @throws TickhaulError `locked` if another run has replaced it, `disk`. */
async function reopen(path: string, target: string, before: BigIntStats): Promise<FileHandle> {
  const handle = await open(path, 'r+').catch((error: unknown) => {
    if (isSystemError(error) && error.code === 'ENOENT') throw lockedError(target);
    throw toDiskError(error, path);
  });
  const found = await handle.stat({ bigint: true });
  // The inode number of a closed file may be that of another run's by now, but not with this time and size.
  if ((['dev', 'ino', 'mtimeNs', 'size'] as const).every((name) => found[name] === before[name]))
    return handle;
  await handle.close();
  throw lockedError(target);
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

/** A sync starts after this many new bytes. */
const SYNC_STEP_BYTES = 32_000_000;

interface EarlySync {
  /** Adds to the number of written bytes. */
  onWritten(bytes: number): void;
  /**
   * Waits for the running sync.
   * @throws the error of any sync so far, which a later sync would not report again.
   */
  end(): Promise<void>;
}

/** Syncs a file while it is still being written, so that the final sync is short. */
function createEarlySync(handle: FileHandle): EarlySync {
  let unsyncedBytes = 0;
  let running: Promise<void> | undefined;
  let failure: unknown;
  return {
    onWritten(bytes) {
      unsyncedBytes += bytes;
      if (unsyncedBytes < SYNC_STEP_BYTES || running) return;
      unsyncedBytes = 0;
      running = handle.datasync().then(
        () => {
          running = undefined;
        },
        (error: unknown) => {
          failure ??= error;
        },
      );
    },
    async end() {
      await running;
      if (failure !== undefined) throw failure;
    },
  };
}

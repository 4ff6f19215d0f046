import { randomUUID } from 'node:crypto';
import { constants, copyFile, type FileHandle, link, lstat, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolder } from '../../base/create-folder.js';
import { isSystemError, TickhaulError, toDiskError } from '../../base/errors.js';
import { stateFolderPath } from '../state-folder.js';
import { createLockHolder, isHolderGone, parseLockHolder } from './lock-holder.js';
import { removeIfSame } from './remove-if-same.js';
import { startHeartbeat } from './start-heartbeat.js';

export interface LockOwner {
  readonly pid: number;
  readonly host: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly command: string;
  /** Whether a process of this host runs. */
  readonly isAlive: (pid: number) => boolean;
}

/** Held until released, or until its process ends. */
export interface RunLock {
  /** Aborted with `locked` when another run took it: this one was held up for long, and must end. */
  readonly lost: AbortSignal;
  /** Gives the lock back; leaves one alone that another took over. @throws TickhaulError `disk`. */
  release(): Promise<void>;
}

/** Milliseconds between two heartbeats, and without one till a lock is taken over. */
const HEARTBEAT_MS = 30_000;
const LOCK_STALE_MS = 120_000;

/**
 * Takes the lock of a download folder (`.tickhaul/lock`) for one run. A lock whose process is known to be gone
 * is taken over at once, and one whose process is known to run never. Of any other (of another machine, or
 * another namespace of process numbers) only the heartbeat tells: it holds till that is two minutes old.
 * @param name of another lock in the same folder, for a part of what is there.
 * @returns undefined when another run holds it.
 * @throws TickhaulError `disk`.
 */
export async function tryAcquireRunLock(
  dir: string,
  owner: LockOwner,
  name?: string,
): Promise<RunLock | undefined> {
  const path = lockPath(dir, name);
  try {
    await createFolder(stateFolderPath(dir));
    const first = await create(path, owner);
    if (first !== undefined) return await hold(path, first);
    await removeIfDead(path, owner);
    const second = await create(path, owner);
    return second && (await hold(path, second));
  } catch (error) {
    throw toDiskError(error, path, 'disk');
  }
}

export function lockPath(dir: string, name = 'lock'): string {
  return join(stateFolderPath(dir), name);
}

/**
 * The lock appears with its text in it: one that is made first and written then is nobody's, and holds for minutes,
 * where its process is killed in between.
 */
async function create(path: string, owner: LockOwner): Promise<FileHandle | undefined> {
  if (await isThere(path)) return undefined;
  const holder = await createLockHolder(owner.pid, owner.host, owner.now, owner.command);
  const mine = `${path}.${randomUUID()}`;
  try {
    await writeFile(mine, `${JSON.stringify(holder)}\n`, { flag: 'wx' });
    if (!(await linkIfFree(mine, path))) return undefined;
  } finally {
    await rm(mine, { force: true });
  }
  return open(path, 'r+');
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Whether the name was free: one step, as O_EXCL is, and on network file systems too. */
async function linkIfFree(mine: string, path: string): Promise<boolean> {
  try {
    await link(mine, path).catch((error: unknown) => {
      if (isSystemError(error) && error.code === 'EEXIST') throw error;
      // A file system without hard links.
      return copyFile(mine, path, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (error) {
    if (isSystemError(error) && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function removeIfDead(path: string, owner: LockOwner): Promise<void> {
  try {
    const there = await open(path, 'r');
    try {
      const holder = parseLockHolder(await there.readFile('utf8'));
      const gone = holder && (await isHolderGone(holder, owner.host, owner.isAlive));
      if (gone ?? (await isOld(there, path))) await removeIfSame(there, path);
    } finally {
      await there.close();
    }
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'ENOENT') throw error;
  }
}

/** Both times are the file system's, so that clocks of two machines needn't agree. */
async function isOld(lock: FileHandle, path: string): Promise<boolean> {
  const probe = `${path}.${randomUUID()}`;
  const handle = await open(probe, 'wx');
  try {
    const [now, then] = await Promise.all([handle.stat(), lock.stat()]);
    return now.mtimeMs - then.mtimeMs > LOCK_STALE_MS;
  } finally {
    await handle.close();
    await rm(probe, { force: true });
  }
}

async function hold(path: string, handle: FileHandle): Promise<RunLock> {
  const lost = new AbortController();
  const heartbeat = await startHeartbeat(handle, path, HEARTBEAT_MS, () => {
    lost.abort(
      new TickhaulError(
        'locked',
        `${path}: another run took the lock over, as this one was held up for long`,
      ),
    );
  });
  let released: Promise<void> | undefined;
  return {
    lost: lost.signal,
    release() {
      released ??= heartbeat.stop().then(() => releaseLock(path, handle));
      return released;
    },
  };
}

async function releaseLock(path: string, handle: FileHandle): Promise<void> {
  try {
    await removeIfSame(handle, path).finally(() => handle.close());
  } catch (error) {
    throw toDiskError(error, path, 'disk');
  }
}

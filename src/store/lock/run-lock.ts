import { randomUUID } from 'node:crypto';
import { constants, copyFile, type FileHandle, link, lstat, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolder, openRegular, readRegular } from '../../base/disk-files.js';
import { isSystemError, TickhaulError, toDiskError } from '../../base/errors.js';
import { wait } from '../../base/wait.js';
import { stateFolderPath } from '../paths.js';
import { isOpenFileAt, readAgeMs, removeIfSame } from './exclusive-file.js';
import { BACKGROUND_CLOCK, type Heartbeat, startHeartbeat } from './heartbeat.js';
import { createLockHolder, formatLockHolder, isHolderGone, parseLockHolder } from './lock-holder.js';

export interface LockOwner {
  readonly pid: number;
  readonly host: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly command: string;
  /** Whether a process of this host runs. */
  readonly isAlive: (pid: number) => boolean;
}

/** Held until it is released or its process ends. */
export interface RunLock {
  /**
   * Aborted with `locked` if another run has taken over the lock, because this one was suspended for too
   * long.
   */
  readonly lost: AbortSignal;
  /** Releases the lock, unless another run has taken it over. @throws TickhaulError `disk`. */
  release(): Promise<void>;
}

const HEARTBEAT_MS = 30_000;
/** A lock without a heartbeat for this long may be taken over. */
const LOCK_STALE_MS = 120_000;

/**
 * Tries to acquire the lock of a download folder, `.tickhaul/lock` (docs/spec/manifest.md#run-lock). A lock
 * is taken over at once if its process is known to have ended, and never if it is known to run. If its
 * process is unknown (on another machine or in another process id namespace), the lock is valid until its
 * heartbeat is two minutes old.
 * @param name of a different lock in the same folder, for a part of its contents.
 * @returns undefined if another run holds the lock.
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
    if (first !== undefined) return startHolding(path, first);
    await removeIfDead(path, owner);
    const second = await create(path, owner);
    return second && startHolding(path, second);
  } catch (error) {
    throw toDiskError(error, path, 'disk');
  }
}

export function lockPath(dir: string, name = 'lock'): string {
  return join(stateFolderPath(dir), name);
}

/**
 * Creates the lock file with its contents in one step. An empty lock file of a killed process would have no
 * known holder, and block other runs for minutes.
 */
async function create(path: string, owner: LockOwner): Promise<FileHandle | undefined> {
  if (await exists(path)) return undefined;
  const holder = await createLockHolder(owner.pid, owner.host, owner.now, owner.command);
  const temporary = `${path}.${randomUUID()}`;
  try {
    await writeFile(temporary, `${JSON.stringify(holder)}\n`, { flag: 'wx' });
    if (!(await linkIfFree(temporary, path))) return undefined;
  } finally {
    await rm(temporary, { force: true });
  }
  return open(path, 'r+');
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** @returns whether the path was free. Atomic like O_EXCL, but also on network file systems. */
async function linkIfFree(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path).catch((error: unknown) => {
      if (isSystemError(error) && error.code === 'EEXIST') throw error;
      // The file system may lack hard links.
      return copyFile(temporary, path, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (error) {
    if (isSystemError(error) && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function removeIfDead(path: string, owner: LockOwner): Promise<void> {
  try {
    const lock = await openRegular(path);
    try {
      const holder = parseLockHolder(await lock.readFile('utf8'));
      const isGone = holder && (await isHolderGone(holder, owner.host, owner.isAlive));
      if (isGone ?? (await readAgeMs(lock, path)) > LOCK_STALE_MS) await removeIfSame(lock, path);
    } finally {
      await lock.close();
    }
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'ENOENT') throw error;
  }
}

function startHolding(path: string, handle: FileHandle): RunLock {
  const lost = new AbortController();
  const heartbeat = startFileHeartbeat(path, handle, HEARTBEAT_MS, () => {
    lost.abort(
      new TickhaulError(
        'locked',
        `${path}: another run took over the lock, because this one was suspended for too long; run the command again`,
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

/**
 * Updates a file's time of change regularly. If that fails, the lock becomes stale; the work of this run is still valid.
 * @param handle of the file at the path, open for reading and writing.
 * @param onLost called once if the path leads to another file, or to none.
 */
export function startFileHeartbeat(
  path: string,
  handle: FileHandle,
  intervalMs: number,
  onLost: () => void,
): Heartbeat {
  const clock = BACKGROUND_CLOCK;
  return startHeartbeat({
    intervalMs,
    clock,
    startedMs: clock.now(),
    async beat() {
      if (!(await isOpenFileAt(handle, path))) return 'the file is gone';
      await touch(handle);
      return undefined;
    },
    onLost,
  });
}

/** Rewrites the first byte, so that the file system sets the time, independent of this machine's clock. */
async function touch(handle: FileHandle): Promise<void> {
  const first = Buffer.alloc(1);
  try {
    await handle.read(first, 0, 1, 0);
    await handle.write(first, 0, 1, 0);
  } catch {
    // On a full disk even rewriting the same byte may fail.
    const now = new Date();
    await handle.utimes(now, now);
  }
}

async function releaseLock(path: string, handle: FileHandle): Promise<void> {
  try {
    await removeIfSame(handle, path).finally(() => handle.close());
  } catch (error) {
    throw toDiskError(error, path, 'disk');
  }
}

export interface AcquireLockOptions {
  /** How long to wait for another run to end; 0 or undefined for not at all. */
  readonly timeoutMs?: number | undefined;
  /** Called once before a wait, with a description of the holder. */
  readonly onWait?: ((holder: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Name of a different lock in the same folder, for a part of its contents. */
  readonly name?: string | undefined;
}

/** Random time between two attempts, so that waiting runs do not retry at the same moment. */
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 500;

/**
 * Acquires the exclusive lock of a download folder (docs/spec/manifest.md#run-lock).
 * @throws TickhaulError `locked` with the holder; `disk`; the abort reason.
 */
export function acquireRunLock(
  dir: string,
  owner: LockOwner,
  options: AcquireLockOptions = {},
): Promise<RunLock> {
  const { name } = options;
  const attempt: LockAttempt<RunLock> = {
    name: dir,
    tryAcquire: () => tryAcquireRunLock(dir, owner, name),
    holder: () => readHolder(dir, name),
  };
  return waitForLock(attempt, options);
}

/** Acquires a lock that another run may hold. */
interface LockAttempt<T> {
  /** What is locked, for errors. */
  readonly name: string;
  /** @returns undefined if another run holds the lock. */
  readonly tryAcquire: () => Promise<T | undefined>;
  /** Describes the holder. */
  readonly holder: () => Promise<string>;
}

/** Retries until the lock is acquired or the time is over. @throws like `acquireRunLock`. */
export async function waitForLock<T>(
  { name, tryAcquire, holder }: LockAttempt<T>,
  { timeoutMs = 0, onWait, signal }: Omit<AcquireLockOptions, 'name'>,
): Promise<T> {
  const endMs = performance.now() + timeoutMs;
  for (let isFirst = true; ; isFirst = false) {
    const lock = await tryAcquire();
    if (lock) return lock;
    const leftMs = endMs - performance.now();
    if (leftMs <= 0) throw createLockedError(name, await holder(), timeoutMs);
    if (isFirst) onWait?.(await holder());
    const pauseMs = MIN_POLL_MS + Math.random() * (MAX_POLL_MS - MIN_POLL_MS);
    await wait(Math.min(leftMs, pauseMs), signal);
  }
}

/** Creates an `onWait` that emits a note of the run. */
export function createWaitNote(
  emit: (note: { readonly event: 'note'; readonly message: string }) => void,
): (holder: string) => void {
  return (holder) => emit({ event: 'note', message: `waiting for another run to end: ${holder}` });
}

function createLockedError(name: string, holder: string, timeoutMs: number): TickhaulError {
  const advice =
    timeoutMs > 0 ? 'use a longer --lock-timeout to wait longer' : 'use --lock-timeout 10m to wait for it';
  return new TickhaulError('locked', `${name}: another run holds the lock, ${holder}; ${advice}`);
}

/** Describes the process that holds a folder's lock; undefined if it is this process or unknown. */
export async function describeOtherHolder(
  dir: string,
  { pid, host }: LockOwner,
): Promise<string | undefined> {
  const holder = parseLockHolder((await readLock(lockPath(dir))) ?? '');
  const isOther = holder && (holder.pid !== pid || holder.host !== host);
  return isOther ? formatLockHolder(holder) : undefined;
}

/** Emits a note that another run uses the same folder, if there is one. */
export function emitOtherRunNote(
  emit: (note: { readonly event: 'note'; readonly message: string }) => void,
  dir: string,
  other: string | undefined,
): void {
  if (other === undefined) return;
  emit({ event: 'note', message: `${dir}: another run uses this folder as well, ${other}` });
}

async function readHolder(dir: string, name: string | undefined): Promise<string> {
  const path = lockPath(dir, name);
  const text = await readLock(path);
  if (text === undefined) return 'which has just ended';
  const holder = parseLockHolder(text);
  return holder ? formatLockHolder(holder) : `which has not identified itself yet (${path})`;
}

/** @returns undefined if the lock no longer exists. */
async function readLock(path: string): Promise<string | undefined> {
  try {
    return await readRegular(path);
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

import { readRegular } from '../../base/disk-files.js';
import { isSystemError, TickhaulError } from '../../base/errors.js';
import { wait } from '../../base/wait.js';
import { formatLockHolder, parseLockHolder } from './lock-holder.js';
import { type LockOwner, lockPath, type RunLock, tryAcquireRunLock } from './run-lock.js';

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
export interface LockAttempt<T> {
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

import { readFile } from 'node:fs/promises';
import { isSystemError, TickhaulError } from '../../base/errors.js';
import { wait } from '../../base/wait.js';
import { formatLockHolder, parseLockHolder } from './lock-holder.js';
import { type LockOwner, lockPath, type RunLock, tryAcquireRunLock } from './run-lock.js';

export interface AcquireLockOptions {
  /** Milliseconds to wait for another run's end; 0 for none. */
  readonly timeoutMs?: number | undefined;
  /** Told once who holds the lock, before a wait. */
  readonly onWait?: ((holder: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Of a store: uploads that ended runs left are not ended by the way, as whoever asks looks at them. */
  readonly leavesUploads?: boolean | undefined;
  /** Of another lock in the same folder, for a part of what is there. */
  readonly name?: string | undefined;
}

/** Milliseconds between two looks, at random, so that those who wait don't look all at once. */
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 500;

/**
 * Takes the lock of a download folder for a run that must be the only one.
 * @throws TickhaulError `locked`, which names the holder; `disk`; the reason of an abort.
 */
export function acquireRunLock(
  dir: string,
  owner: LockOwner,
  options: AcquireLockOptions = {},
): Promise<RunLock> {
  const { name } = options;
  const tries: LockAttempt<RunLock> = {
    name: dir,
    tryAcquire: () => tryAcquireRunLock(dir, owner, name),
    holder: () => readHolder(dir, name),
  };
  return waitForLock(tries, options);
}

/** One lock that may be another run's. */
export interface LockAttempt<T> {
  /** What is locked, for the error. */
  readonly name: string;
  /** @returns undefined when another run holds it. */
  readonly tryAcquire: () => Promise<T | undefined>;
  /** Who that is, in words. */
  readonly holder: () => Promise<string>;
}

/** Tries to take a lock until it is there, or the time is over. @throws as `acquireRunLock`. */
export async function waitForLock<T>(
  { name, tryAcquire, holder }: LockAttempt<T>,
  { timeoutMs = 0, onWait, signal }: Omit<AcquireLockOptions, 'name'>,
): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (let isFirst = true; ; isFirst = false) {
    const lock = await tryAcquire();
    if (lock) return lock;
    const left = end - performance.now();
    if (left <= 0) throw createLockedError(name, await holder(), timeoutMs);
    if (isFirst) onWait?.(await holder());
    const pause = MIN_POLL_MS + Math.random() * (MAX_POLL_MS - MIN_POLL_MS);
    await wait(Math.min(left, pause), signal);
  }
}

/** An `onWait` that tells of the wait as a note of the run. */
export function createWaitNote(
  emit: (note: { readonly event: 'note'; readonly message: string }) => void,
): (holder: string) => void {
  return (holder) => emit({ event: 'note', message: `waiting for another run to end: ${holder}` });
}

function createLockedError(name: string, holder: string, timeoutMs: number): TickhaulError {
  const advice =
    timeoutMs > 0 ? 'a longer --lock-timeout waits longer' : '--lock-timeout 10m waits for its end';
  return new TickhaulError('locked', `${name}: another run holds the lock, ${holder}; ${advice}`);
}

/** The process that holds a folder's lock, in words; undefined if that is this one, or none that can be named. */
export async function otherHolder(dir: string, { pid, host }: LockOwner): Promise<string | undefined> {
  const holder = parseLockHolder((await readLock(lockPath(dir))) ?? '');
  const isOther = holder && (holder.pid !== pid || holder.host !== host);
  return isOther ? formatLockHolder(holder) : undefined;
}

/** A note that another run works in the same folder; none without such a run. */
export function noteOfOther(
  emit: (note: { readonly event: 'note'; readonly message: string }) => void,
  dir: string,
  other: string | undefined,
): void {
  if (other === undefined) return;
  emit({ event: 'note', message: `${dir}: another run works in this folder too, ${other}` });
}

async function readHolder(dir: string, name: string | undefined): Promise<string> {
  const path = lockPath(dir, name);
  const text = await readLock(path);
  if (text === undefined) return 'which ended just now';
  const holder = parseLockHolder(text);
  return holder ? formatLockHolder(holder) : `which has not yet said who it is (${path})`;
}

/** Undefined if the lock is not there any more. */
async function readLock(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

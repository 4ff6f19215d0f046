import { readFile } from 'node:fs/promises';
import { isSystemError, TickhaulError } from '../../base/errors.js';
import { wait } from '../../base/wait.js';
import { describeHolder, parseHolder } from './lock-holder.js';
import { type LockOwner, lockPath, type RunLock, tryLock } from './run-lock.js';

export interface TakeLockOptions {
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
const MIN_LOOK_MS = 100;
const MAX_LOOK_MS = 500;

/**
 * Takes the lock of a download folder for a run that must be the only one.
 * @throws TickhaulError `locked`, which names the holder; `disk`; the reason of an abort.
 */
export function takeLock(dir: string, owner: LockOwner, options: TakeLockOptions = {}): Promise<RunLock> {
  const { name } = options;
  const tries: LockTries<RunLock> = {
    name: dir,
    tryIt: () => tryLock(dir, owner, name),
    holder: () => holderOf(dir, name),
  };
  return waitForLock(tries, options);
}

/** One lock that may be another run's. */
export interface LockTries<T> {
  /** What is locked, for the error. */
  readonly name: string;
  /** @returns undefined when another run holds it. */
  readonly tryIt: () => Promise<T | undefined>;
  /** Who that is, in words. */
  readonly holder: () => Promise<string>;
}

/** Tries to take a lock until it is there, or the time is over. @throws as `takeLock`. */
export async function waitForLock<T>(
  { name, tryIt, holder }: LockTries<T>,
  { timeoutMs = 0, onWait, signal }: Omit<TakeLockOptions, 'name'>,
): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (let isFirst = true; ; isFirst = false) {
    const lock = await tryIt();
    if (lock) return lock;
    const left = end - performance.now();
    if (left <= 0) throw heldError(name, await holder(), timeoutMs);
    if (isFirst) onWait?.(await holder());
    const pause = MIN_LOOK_MS + Math.random() * (MAX_LOOK_MS - MIN_LOOK_MS);
    await wait(Math.min(left, pause), signal);
  }
}

/** An `onWait` that tells of the wait as a note of the run. */
export function noteOfWait(
  emit: (note: { readonly event: 'note'; readonly message: string }) => void,
): (holder: string) => void {
  return (holder) => emit({ event: 'note', message: `waiting for another run to end: ${holder}` });
}

function heldError(name: string, holder: string, timeoutMs: number): TickhaulError {
  const advice =
    timeoutMs > 0 ? 'a longer --lock-timeout waits longer' : '--lock-timeout 10m waits for its end';
  return new TickhaulError('locked', `${name}: another run holds the lock, ${holder}; ${advice}`);
}

/** The process that holds a folder's lock, in words; undefined if that is this one, or none that can be named. */
export async function otherHolder(dir: string, { pid, host }: LockOwner): Promise<string | undefined> {
  const holder = parseHolder((await readLock(lockPath(dir))) ?? '');
  const isOther = holder && (holder.pid !== pid || holder.host !== host);
  return isOther ? describeHolder(holder) : undefined;
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

async function holderOf(dir: string, name: string | undefined): Promise<string> {
  const path = lockPath(dir, name);
  const text = await readLock(path);
  if (text === undefined) return 'which ended just now';
  const holder = parseHolder(text);
  return holder ? describeHolder(holder) : `which has not yet said who it is (${path})`;
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

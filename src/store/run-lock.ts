import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { diskError, isSystemError } from '../errors.js';
import { makeFolder } from '../make-folder.js';
import { removeIfStill } from './stale.js';
import { stateFolder } from './state-folder.js';

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
  /** Gives the lock back; leaves one alone that another took over. @throws TickhaulError `disk`. */
  release(): Promise<void>;
}

const TOUCH_MS = 30_000;
const STALE_MS = 120_000;

/**
 * Takes the lock of a download folder (`.tickhaul/lock`) for one run.
 * A lock of a dead process of this host is taken over at once. Any other holds as long as it is touched: a
 * process of another host can't be asked, and a process number may by now be another process's.
 * @returns undefined when another run holds it.
 * @throws TickhaulError `disk`.
 */
export async function tryLock(dir: string, owner: LockOwner): Promise<RunLock | undefined> {
  const path = join(stateFolder(dir), 'lock');
  try {
    await makeFolder(stateFolder(dir));
    const first = await create(path, owner);
    if (first !== undefined) return hold(path, first);
    await removeIfDead(path, owner);
    const second = await create(path, owner);
    return second && hold(path, second);
  } catch (error) {
    throw diskError(error, path, 'disk');
  }
}

async function create(path: string, owner: LockOwner): Promise<FileHandle | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path, 'wx');
  } catch (error) {
    if (isSystemError(error) && error.code === 'EEXIST') return undefined;
    throw error;
  }
  const { pid, host, command } = owner;
  const started = new Date(owner.now).toISOString();
  try {
    await handle.writeFile(`${JSON.stringify({ pid, host, started, command })}\n`);
    return handle;
  } catch (error) {
    await giveBack(path, handle);
    throw error;
  }
}

async function removeIfDead(path: string, owner: LockOwner): Promise<void> {
  try {
    const there = await open(path, 'r');
    try {
      const untouched = owner.now - (await there.stat()).mtimeMs;
      const { pid, host } = readOwner(await there.readFile('utf8'));
      const gone = host === owner.host && pid !== undefined && !owner.isAlive(pid);
      if (gone || untouched > STALE_MS) await removeIfStill(there, path);
    } finally {
      await there.close();
    }
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'ENOENT') throw error;
  }
}

/** Empty for an owner who is just writing, or crashed while writing. */
function readOwner(text: string): { pid?: number; host?: string } {
  try {
    const { pid, host } = JSON.parse(text) as Record<string, unknown>;
    return typeof pid === 'number' && typeof host === 'string' ? { pid, host } : {};
  } catch {
    return {};
  }
}

function hold(path: string, handle: FileHandle): RunLock {
  const touch = setInterval(() => {
    const now = new Date();
    // A lock that can't be touched ends late at worst.
    handle.utimes(now, now).catch(() => undefined);
  }, TOUCH_MS).unref();
  let released: Promise<void> | undefined;
  return {
    release() {
      clearInterval(touch);
      released ??= giveBack(path, handle);
      return released;
    },
  };
}

async function giveBack(path: string, handle: FileHandle): Promise<void> {
  try {
    await removeIfStill(handle, path).finally(() => handle.close());
  } catch (error) {
    throw diskError(error, path, 'disk');
  }
}

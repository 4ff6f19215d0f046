import type { LockOwner } from '../store/lock/run-lock.js';
import type { Host } from './host.js';

/** Who runs, for the lock of a download folder. */
export function lockOwner({ pid, host, commandLine, isAlive }: Host): LockOwner {
  return { pid, host, command: commandLine, now: Date.now(), isAlive };
}

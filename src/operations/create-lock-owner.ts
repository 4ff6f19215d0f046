import type { LockOwner } from '../store/lock/run-lock.js';
import type { CommandHost } from './command-host.js';

/** The owner recorded in the lock of a download folder. */
export function createLockOwner({ pid, host, commandLine, isAlive }: CommandHost): LockOwner {
  return { pid, host, command: commandLine, now: Date.now(), isAlive };
}

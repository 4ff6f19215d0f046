import type { LockOwner } from '../store/lock/run-lock.js';
import type { Cli } from '../cli/arguments/types.js';

/** Who runs, for the lock of a download folder. */
export function lockOwner({ pid, host, commandLine, isAlive }: Cli): LockOwner {
  return { pid, host, command: commandLine, now: Date.now(), isAlive };
}

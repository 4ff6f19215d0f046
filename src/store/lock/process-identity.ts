import { readFile, readlink } from 'node:fs/promises';
import { isSystemError } from '../../base/errors.js';

/** Identifies a process uniquely. A process id may be reused, but not with the same start time. */
export interface ProcessIdentity {
  /** Where the process id is valid: one boot of one machine, and one process id namespace. */
  readonly machine: string;
  /** Start time in clock ticks since boot, which changes of the clock do not affect. */
  readonly start: string;
}

/** @returns undefined if no such process runs, or on systems without /proc. */
export async function readProcessIdentity(pid: number): Promise<ProcessIdentity | undefined> {
  const [details, machine] = await Promise.all([readProcess(pid), readMachineId()]);
  return details?.start === undefined || machine === undefined
    ? undefined
    : { machine, start: details.start };
}

/**
 * Reads a process from Linux's /proc (man 5 proc_pid_stat).
 * @returns an object without `start` for a zombie, which in a container may stay forever; undefined if there
 * is no such process, or /proc is missing or hides the processes of other users.
 */
export async function readProcess(pid: number): Promise<{ readonly start?: string } | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses, which may contain any characters.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state] = fields;
    const start = fields[START_FIELD];
    return state === 'Z' || state === 'X' || start === undefined ? {} : { start };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return undefined;
  }
}

/** Index of field 22, `starttime`, among the fields after the name, which begin with field 3. */
const START_FIELD = 19;

/** @returns undefined on systems without /proc. */
export async function readMachineId(): Promise<string | undefined> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    return `${boot.trim()} ${await readlink('/proc/self/ns/pid')}`;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return undefined;
  }
}

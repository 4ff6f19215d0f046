import { readFile, readlink } from 'node:fs/promises';
import { isSystemError } from '../../base/errors.js';

/** A process as nobody else can be: its number may go to another one, its number and start together don't. */
export interface ProcessIdentity {
  /** Where process numbers mean the same: one boot of one machine, and one namespace of process numbers. */
  readonly machine: string;
  /** Clock ticks from boot till it started. No clock that jumps changes it. */
  readonly start: string;
}

/** Undefined where no such process runs, or no /proc tells. */
export async function readProcessIdentity(pid: number): Promise<ProcessIdentity | undefined> {
  const [found, machine] = await Promise.all([readProcess(pid), readMachineId()]);
  return found?.start === undefined || machine === undefined ? undefined : { machine, start: found.start };
}

/**
 * Who runs under a process number here, of Linux's /proc (man 5 proc_pid_stat).
 * @returns no start for a process that ended and waits for its parent to hear of it, which in a container may be for
 * ever; undefined where /proc doesn't tell: nobody has the number, or it hides others' processes.
 */
export async function readProcess(pid: number): Promise<{ readonly start?: string } | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in brackets, and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state] = fields;
    const start = fields[START_FIELD];
    return state === 'Z' || state === 'X' || start === undefined ? {} : { start };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return undefined;
  }
}

/** Field 22 of all, the third of which is the first after the name. */
const START_FIELD = 19;

/** Undefined where no /proc tells. */
export async function readMachineId(): Promise<string | undefined> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    return `${boot.trim()} ${await readlink('/proc/self/ns/pid')}`;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return undefined;
  }
}

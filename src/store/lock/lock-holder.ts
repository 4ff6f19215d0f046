import { readFile, readlink } from 'node:fs/promises';
import { isSystemError } from '../../base/errors.js';

/** The holder of a lock, stored in it as one line of JSON (docs/spec/manifest.md#run-lock). */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601. */
  readonly started: string;
  readonly command: string;
  /** Undefined on systems without /proc. */
  readonly process: ProcessIdentity | undefined;
}

/** @param started milliseconds since the epoch. */
export async function createLockHolder(
  pid: number,
  host: string,
  started: number,
  command: string,
): Promise<LockHolder> {
  const process = await readProcessIdentity(pid);
  return { pid, host, started: new Date(started).toISOString(), command, process };
}

/**
 * Whether the holder's process has ended; undefined if this cannot be determined.
 * @param host name of this host.
 * @param isAlive whether a process of this host runs.
 */
export async function isHolderGone(
  { pid, host: holderHost, process: recorded }: LockHolder,
  host: string,
  isAlive: (pid: number) => boolean,
): Promise<boolean | undefined> {
  if (holderHost !== host) return undefined;
  if (recorded && recorded.machine !== (await readMachineId())) return undefined;
  const running = recorded && (await readProcess(pid));
  if (recorded && running) return running.start !== recorded.start;
  // The process id may belong to another process by now.
  return isAlive(pid) ? undefined : true;
}

/** Parses the contents of a lock; undefined if they are incomplete, for example after a crash. */
export function parseLockHolder(text: string): LockHolder | undefined {
  try {
    const { pid, host, started, command, process: identity } = JSON.parse(text) as Record<string, unknown>;
    if (typeof pid !== 'number' || typeof host !== 'string') return undefined;
    return {
      pid,
      host,
      started: String(started),
      command: String(command),
      process: parseIdentity(identity),
    };
  } catch {
    return undefined;
  }
}

/** `process 4711 on db1 since 2024-03-01T00:00:00Z (tickhaul sync)` */
export function formatLockHolder({ pid, host, started, command }: LockHolder): string {
  return `process ${pid} on ${host} since ${started} (${command})`;
}

function parseIdentity(value: unknown): ProcessIdentity | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { machine, start } = value as Record<string, unknown>;
  return typeof machine === 'string' && typeof start === 'string' ? { machine, start } : undefined;
}

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

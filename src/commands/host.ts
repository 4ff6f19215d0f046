import { homedir, hostname, userInfo } from 'node:os';
import type { Readable, Writable } from 'node:stream';

/** All that a run may know of the process that it is part of. */
export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Undefined where it is nobody's to read from. */
  readonly stdin: Readable | undefined;
  /** The process's own stream on a descriptor: stdout on 1, stderr on 2. */
  readonly standardStream: (fd: number) => Writable | undefined;
  /** Ends the run in order. */
  readonly signal: AbortSignal;
  /** The user's home folder. */
  readonly home: string;
  readonly pid: number;
  readonly host: string;
  /** What runs, for the record of who holds a lock; it never holds a secret. */
  readonly commandLine: string;
  /** Whether a process of this host runs. */
  readonly isAlive: (pid: number) => boolean;
  /** Kills a process that leads a group, with all of the group. */
  readonly endGroup: (pid: number) => void;
  /** Told, in one line each, what is worth knowing before a run begins. */
  readonly warn: (message: string) => void;
}

/** What the system tells of a process. @param own the process itself. */
export function hostOf(own: NodeJS.Process): Omit<Host, 'stdin' | 'signal' | 'commandLine' | 'warn'> {
  return {
    env: own.env,
    // An empty HOME is none: the system's own entry is looked up.
    home: homedir() || userInfo().homedir,
    pid: own.pid,
    host: hostname(),
    standardStream: (fd) => (fd === 1 ? own.stdout : fd === 2 ? own.stderr : undefined),
    isAlive: (pid) => isAlive(own, pid),
    endGroup: (pid) => void own.kill(-pid, 'SIGKILL'),
  };
}

function isAlive(own: NodeJS.Process, pid: number): boolean {
  try {
    return own.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

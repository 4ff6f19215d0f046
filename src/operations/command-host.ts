import { homedir, hostname, userInfo } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { ProcessUser } from '../base/disk-files.js';
import { Secrets } from '../base/secrets.js';

/** A run's only access to its process. */
export interface CommandHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Undefined if the run must not read it. */
  readonly stdin: Readable | undefined;
  /** The stream of the process for a descriptor: stdout for 1, stderr for 2. */
  readonly standardStream: (fd: number) => Writable | undefined;
  /** Ends the run cleanly. */
  readonly signal: AbortSignal;
  /** The user's home folder; undefined if neither HOME nor the system names one. */
  readonly home: string | undefined;
  /** Undefined on systems without user numbers. */
  readonly user: ProcessUser | undefined;
  readonly pid: number;
  readonly host: string;
  /** Command line for the lock's record of its holder, without secrets. */
  readonly commandLine: string;
  /** Secrets that the run has read, which no text for the user may contain. */
  readonly secrets: Secrets;
  /** Whether a process of this host is running. */
  readonly isAlive: (pid: number) => boolean;
  /** Kills a process group, given the PID of its leader. */
  readonly endGroup: (pid: number) => void;
  /** Prints a warning of one line before a run starts. */
  readonly warn: (message: string) => void;
}

/** Reads the host's part of the process. */
export function readProcessHost(
  nodeProcess: NodeJS.Process,
): Omit<CommandHost, 'stdin' | 'signal' | 'commandLine' | 'warn'> {
  return {
    env: nodeProcess.env,
    home: findHome(),
    user: readUser(nodeProcess),
    pid: nodeProcess.pid,
    host: hostname(),
    secrets: new Secrets(),
    standardStream: (fd) => (fd === 1 ? nodeProcess.stdout : fd === 2 ? nodeProcess.stderr : undefined),
    isAlive: (pid) => isAlive(nodeProcess, pid),
    endGroup: (pid) => void nodeProcess.kill(-pid, 'SIGKILL'),
  };
}

function readUser({ geteuid, getegid }: NodeJS.Process): ProcessUser | undefined {
  return geteuid && getegid && { uid: geteuid(), gid: getegid() };
}

/** The home folder; undefined if it is not known. */
function findHome(): string | undefined {
  try {
    // homedir() is empty if HOME is empty; userInfo() reads the system's entry. Without an entry, both throw.
    return homedir() || userInfo().homedir || undefined;
  } catch {
    return undefined;
  }
}

function isAlive(nodeProcess: NodeJS.Process, pid: number): boolean {
  try {
    return nodeProcess.kill(pid, 0);
  } catch (error) {
    // EPERM: the process is running as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

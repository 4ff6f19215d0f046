import { type ProcessIdentity, readMachineId, readProcess, readProcessIdentity } from './process-identity.js';

/** What a lock says of its holder: one line of JSON. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601. */
  readonly started: string;
  readonly command: string;
  /** Undefined where no /proc tells. */
  readonly process: ProcessIdentity | undefined;
}

/** What a lock is to say of who takes it. @param started milliseconds since the epoch. */
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
 * Whether a holder's process is gone. Undefined where that can't be known.
 * @param host of this process.
 * @param isAlive whether a process of this host runs.
 */
export async function isHolderGone(
  { pid, host: its, process: told }: LockHolder,
  host: string,
  isAlive: (pid: number) => boolean,
): Promise<boolean | undefined> {
  if (its !== host) return undefined;
  if (told && told.machine !== (await readMachineId())) return undefined;
  const running = told && (await readProcess(pid));
  if (told && running) return running.start !== told.start;
  // Its number may be another process's by now.
  return isAlive(pid) ? undefined : true;
}

/** Undefined for a holder who is just writing, or crashed while writing. */
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

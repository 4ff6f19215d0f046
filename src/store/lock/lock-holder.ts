import { type ProcessIdentity, readMachineId, readProcess, readProcessIdentity } from './process-identity.js';

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

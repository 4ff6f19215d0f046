import type { ProcessIdentity } from './process-identity.js';

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

/** Undefined for a holder who is just writing, or crashed while writing. */
export function parseHolder(text: string): LockHolder | undefined {
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
export function describeHolder({ pid, host, started, command }: LockHolder): string {
  return `process ${pid} on ${host} since ${started} (${command})`;
}

function parseIdentity(value: unknown): ProcessIdentity | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { machine, start } = value as Record<string, unknown>;
  return typeof machine === 'string' && typeof start === 'string' ? { machine, start } : undefined;
}

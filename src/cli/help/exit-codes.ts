import type { ERROR_TABLE, ErrorCode } from '../../base/errors.js';

/** A code that a process of the command can end with. */
export type ExitCode = 0 | (typeof ERROR_TABLE)[ErrorCode]['exitCode'];

/** What each exit code means in every command. docs/reference/exit-codes.md says what to do. */
export const EXIT_CODES: Readonly<Record<ExitCode, string>> = {
  0: 'done, or nothing left to do',
  1: 'a bug in tickhaul',
  2: 'wrong usage or configuration',
  3: 'rejected, or failed for several reasons',
  4: 'not authorized by the service, the object store or the queue',
  5: 'service, object store or queue unreachable or temporarily unavailable, or out of time',
  6: 'corrupt, changed or missing data',
  7: 'not exported or not available, if that was required',
  8: 'disk or object store full, unreadable or not writable',
  9: 'another run or process holds the lock',
  10: 'an audit found what --fail-on names',
  130: 'interrupted by SIGINT',
  143: 'terminated by SIGTERM',
};

export const ALL_EXIT_CODES = Object.keys(EXIT_CODES).map(Number) as readonly ExitCode[];

const LOCAL: readonly ExitCode[] = [0, 1, 2, 8, 130, 143];
/** Of commands of the queue. Files that fail count against their slice, not against the worker. */
const QUEUE: readonly ExitCode[] = [...LOCAL, 3, 4, 5];
/** Of commands that read data files or a manifest: on disk, or in an object store with its own failures. */
const FILES: readonly ExitCode[] = [...QUEUE, 6];
/** Of commands that send requests to the service. */
const SERVICE: readonly ExitCode[] = [...FILES, 7];
const SERVICE_WITH_LOCK: readonly ExitCode[] = [...SERVICE, 9];

const BY_COMMAND: Readonly<Record<string, readonly ExitCode[]>> = {
  exchanges: SERVICE,
  symbols: SERVICE,
  instruments: SERVICE,
  status: SERVICE,
  plan: SERVICE,
  download: SERVICE_WITH_LOCK,
  sync: SERVICE_WITH_LOCK,
  enqueue: SERVICE,
  worker: QUEUE,
  queue: QUEUE,
  verify: SERVICE_WITH_LOCK,
  audit: [...SERVICE, 10],
  coverage: FILES,
  lock: FILES,
  manifest: FILES,
  convert: [...FILES, 9],
  export: SERVICE_WITH_LOCK,
  views: FILES,
  replay: SERVICE_WITH_LOCK,
  serve: FILES,
  stream: SERVICE,
  inspect: FILES,
  login: SERVICE_WITH_LOCK,
  logout: [...LOCAL, 9],
  account: SERVICE_WITH_LOCK,
  key: SERVICE,
  sandbox: LOCAL,
  demo: SERVICE_WITH_LOCK,
  completion: LOCAL,
  version: LOCAL,
};

const NOTES: Readonly<Record<string, string>> = {
  sandbox: 'with a command, the exit code is that of the command',
};

/**
 * The exit codes of a command in ascending order, with a note if other codes are possible.
 * @throws Error for a command that the table lacks.
 */
export function listExitCodes(name: string): {
  readonly codes: readonly ExitCode[];
  readonly note: string | undefined;
} {
  const codes = BY_COMMAND[name];
  if (codes === undefined) throw new Error(`${name}: no exit codes are listed in exit-codes.ts`);
  return { codes: codes.toSorted((a, b) => a - b), note: NOTES[name] };
}

/**
 * All error codes (docs/spec/command-line.md#error-codes) by exit code
 * (docs/spec/command-line.md#exit-codes), each with what to repeat if a retry can help (`retry`), and whether it affects
 * every file of the run (`affectsRun`): then the whole run pauses before a retry, or ends if none is left. Only
 * `judgeError` reads the last two.
 */
export const ERROR_TABLE = {
  bug: { exitCode: 1, retry: false, affectsRun: false },
  usage: { exitCode: 2, retry: false, affectsRun: false },
  /** Files failed with different codes, or a slice of the queue lost its worker too often. */
  mixed: { exitCode: 3, retry: false, affectsRun: false },
  /** 400 and other client errors: the service refuses the request. */
  rejected: { exitCode: 3, retry: false, affectsRun: false },
  /** The object store has lost an upload or acknowledged parts of it: only a new upload helps. */
  upload_lost: { exitCode: 3, retry: 'file', affectsRun: false },
  /** 401: a required key is missing, or the key is wrong. */
  bad_key: { exitCode: 4, retry: false, affectsRun: true },
  /** 403 without a retry delay: the key does not cover this file. */
  no_access: { exitCode: 4, retry: false, affectsRun: false },
  /** The issuer accepts no stored identity: the user has to sign in. */
  not_signed_in: { exitCode: 4, retry: false, affectsRun: true },
  /** The user or the issuer refused the claim. */
  claim_failed: { exitCode: 4, retry: false, affectsRun: true },
  /** 403 with a retry delay: the key is active from another IP address. */
  ip_locked: { exitCode: 4, retry: 'request', affectsRun: true },
  /** The object store refuses access: credentials are missing, wrong, or lack a permission. */
  store_refused: { exitCode: 4, retry: false, affectsRun: true },
  /** Too many requests: 429 of the service, 429 or 418 of an exchange, or a text that says so. */
  rate_limited: { exitCode: 5, retry: 'request', affectsRun: true },
  /** 429 with the message that the account's transfer limit is reached: waiting does not help. */
  transfer_limit: { exitCode: 5, retry: false, affectsRun: true },
  /** DNS, refused connection, TLS, proxy. */
  unreachable: { exitCode: 5, retry: 'request', affectsRun: false },
  /** 5xx, 408, 425; 401, 403 or 410 of the address of a redirect, which may have expired. */
  server_error: { exitCode: 5, retry: 'request', affectsRun: false },
  /** The user did not finish a step in time, or a call of the account API took too long. */
  timed_out: { exitCode: 5, retry: false, affectsRun: true },
  /** No bytes arrived for the stall timeout. */
  stalled: { exitCode: 5, retry: 'request', affectsRun: false },
  /** The connection broke in the middle of a response. */
  reset: { exitCode: 5, retry: 'request', affectsRun: false },
  /**
   * A response that violates the interface: not JSON, a missing field, too many redirects, or an HTML page that
   * refuses the request, which is not the service's.
   */
  bad_answer: { exitCode: 5, retry: false, affectsRun: false },
  /** The run's time limit ended before all files were done, or the queue is paused while slices wait. */
  out_of_time: { exitCode: 5, retry: false, affectsRun: true },
  /** The object store was unreachable, silent or busy for all retries of a request. */
  store_down: { exitCode: 5, retry: false, affectsRun: true },
  /** Fewer bytes than announced. */
  short_body: { exitCode: 6, retry: 'request', affectsRun: false },
  /**
   * Bytes that are not what they should be: a damaged gzip or zstd stream, rows that cannot be read, another size than
   * announced, a file that is not as recorded, or a message of an exchange that cannot be read.
   */
  corrupt: { exitCode: 6, retry: 'request', affectsRun: false },
  /** A file or object that must exist does not, such as one that the manifest records. */
  missing: { exitCode: 6, retry: false, affectsRun: false },
  /**
   * Complete bytes that differ from those recorded, listed or read before, or that the lock file does not name: a file
   * replaced while it was read, or two records of one path.
   */
  changed: { exitCode: 6, retry: false, affectsRun: false },
  /** The service has no data for this day (404, code 140 or 300), or no selected day is available. */
  unavailable: { exitCode: 7, retry: false, affectsRun: false },
  not_exported: { exitCode: 7, retry: false, affectsRun: false },
  /** Full, read-only, no permission: every other file would fail as well. */
  disk: { exitCode: 8, retry: false, affectsRun: true },
  /**
   * This path cannot be written: it belongs to another day file or is a folder, is too long, or is a link
   * outside.
   */
  path_taken: { exitCode: 8, retry: false, affectsRun: false },
  /** This file cannot be read: no permission, deleted, a bad sector. */
  unreadable: { exitCode: 8, retry: false, affectsRun: false },
  locked: { exitCode: 9, retry: false, affectsRun: false },
  /** Days have a condition, or fail a check, that the user named: --fail-on. */
  audit_failed: { exitCode: 10, retry: false, affectsRun: false },
  interrupted: { exitCode: 130, retry: false, affectsRun: true },
  terminated: { exitCode: 143, retry: false, affectsRun: true },
} as const satisfies Record<
  string,
  { exitCode: number; retry: false | 'request' | 'file'; affectsRun: boolean }
>;

export type ErrorCode = keyof typeof ERROR_TABLE;

interface ErrorDetails {
  /** HTTP status, if a response was the cause. */
  readonly status?: number | undefined;
  /** Milliseconds that the server asked to wait. */
  readonly retryAfterMs?: number | undefined;
  /** Retries after which the error is final, if fewer than usual can help. */
  readonly maxRetries?: number | undefined;
  readonly cause?: unknown;
}

/**
 * Any failure with a known code. Callers of the library get a `LibraryError` in its place, which they import as
 * TickhaulError. The message is one line: `<thing>: <what is wrong>; <what to do>`.
 */
export class TickhaulError extends Error {
  override readonly name = 'TickhaulError';
  readonly code: ErrorCode;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly maxRetries: number | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.maxRetries = details.maxRetries;
  }

  get exitCode(): number {
    return ERROR_TABLE[this.code].exitCode;
  }
}

/** An error in options, arguments or configuration: exit code 2. */
export function usageError(message: string): TickhaulError {
  return new TickhaulError('usage', message);
}

/** System errors that any other file would cause as well. */
const DISK_CODES = new Set([
  'ENOSPC',
  'EDQUOT',
  'EFBIG',
  'EROFS',
  'EACCES',
  'EPERM',
  'EIO',
  'EMFILE',
  'ENFILE',
  'ENOENT',
  'EEXIST',
]);

/** System errors that affect only one path. */
const PATH_CODES = new Set(['ENOTDIR', 'EISDIR', 'ERR_FS_EISDIR', 'ENAMETOOLONG', 'ELOOP']);

const FOLDER_IN_THE_WAY = 'a folder has the name of this file; remove it or choose another folder';

const DISK_ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free some space and run the same command again',
  EDQUOT: 'the disk quota is used up; free some space and run the same command again',
  EFBIG: 'the file is larger than the limit for files here (ulimit -f)',
  EROFS: 'the file system is read-only; choose another folder',
  EACCES: 'no permission; choose another folder, or change its owner',
  EPERM: 'not permitted; choose another folder, or change its owner',
  EMFILE: 'too many files are open; raise the limit (ulimit -n), or do less at once (--concurrency, --jobs)',
  ENFILE: 'the system has too many files open; end other programs, and run the same command again',
  ENOENT: 'a parent folder does not exist and cannot be created; choose another folder',
  ELOOP: 'is a symbolic link, which is not followed; remove it',
  ENOTDIR: 'a file has the name of a folder on this path; remove it or choose another folder',
  EISDIR: FOLDER_IN_THE_WAY,
  ERR_FS_EISDIR: FOLDER_IN_THE_WAY,
  ENAMETOOLONG: 'the name is too long for this file system; choose another --layout',
};

/**
 * Converts the error of a file system call to a TickhaulError that names the path; returns other errors
 * unchanged.
 * @param pathCode code of an error that affects only this path; `disk` if the whole run needs the file.
 */
export function toDiskError(
  error: unknown,
  path: string,
  pathCode: 'path_taken' | 'disk' = 'path_taken',
): unknown {
  if (error instanceof TickhaulError || !isSystemError(error)) return error;
  const placeError = toPlaceError(error);
  if (placeError) return placeError;
  const code = PATH_CODES.has(error.code) ? pathCode : DISK_CODES.has(error.code) ? 'disk' : undefined;
  if (code === undefined) return error;
  return new TickhaulError(code, `${path}: ${DISK_ADVICE[error.code] ?? error.code}`, { cause: error });
}

/** Problem of the process's surroundings, by the system call that fails. */
const PLACE_PROBLEMS: Readonly<Record<string, string>> = {
  uv_cwd: 'the working folder was removed; change to another folder, or use absolute paths',
  uv_os_homedir: 'the home folder is not known; set HOME',
  uv_os_get_passwd: 'this user has no entry in the system; set HOME',
};

/** The error of a process without a working folder or a home folder, as any call may throw it; undefined for others. */
export function toPlaceError(error: unknown): TickhaulError | undefined {
  if (!isSystemError(error)) return undefined;
  const { syscall } = ('info' in error ? error.info : error) as { readonly syscall?: string };
  const problem = PLACE_PROBLEMS[syscall ?? ''];
  return problem === undefined ? undefined : new TickhaulError('usage', problem, { cause: error });
}

/** Whether this is the error of a system call, with a code such as ENOENT. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string';
}

/** The abort reason of a signal, always as a TickhaulError. */
export function abortReason(signal: AbortSignal): TickhaulError {
  const reason: unknown = signal.reason;
  return reason instanceof TickhaulError
    ? reason
    : new TickhaulError('interrupted', 'interrupted', { cause: reason });
}

/** Why a file or a whole run failed, as plain data for events. */
export interface FileError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly status?: number | undefined;
  /** Milliseconds that the service asked to wait. */
  readonly retryAfterMs?: number | undefined;
}

export function toFileError({ code, message, status, retryAfterMs }: TickhaulError): FileError {
  return {
    code,
    message,
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** What an error means beyond the attempt that it ended. */
export interface ErrorJudgement {
  /** Whether the same request may succeed later. */
  readonly canRepeatRequest: boolean;
  /** Whether another attempt at the same file may succeed: the same request, or a new upload. */
  readonly canRetryFile: boolean;
  /** Whether all other files would fail as well, so that the whole run pauses or ends. */
  readonly affectsRun: boolean;
  /** Whether a run or job that ended with this error left files out because of it. A lost lock does this too. */
  readonly endsRun: boolean;
  /** Whether a live stream ends. It reconnects after all other errors, as exchanges refuse connections only for a time. */
  readonly endsStream: boolean;
  /** Whether a connection that worked broke or became silent. */
  readonly isDisconnect: boolean;
  /** Whether the service asks for fewer requests. Unless the delay is too long, a worker of the queue need not end. */
  readonly isCongestion: boolean;
  /** Whether the same command may succeed later or after its cause is removed. A file that differs stays different. */
  readonly canRerun: boolean;
}

/** Exit codes of causes that may be gone when a command is run again. */
const RERUN_EXIT_CODES: ReadonlySet<number> = new Set([3, 5, 6, 8, 130, 143]);

/**
 * Judges an error: the only place that decides whether it is retried and whether it affects the whole run. A caller may
 * narrow a judgement by a code that only it reacts to: a worker waits after `ip_locked` and pauses the queue after
 * `transfer_limit`, and `mayRetry` of `withRetries` excludes errors whose retries the caller counts otherwise.
 */
export function judgeError({ code }: { readonly code: ErrorCode }): ErrorJudgement {
  const { exitCode, retry, affectsRun } = ERROR_TABLE[code];
  return {
    canRepeatRequest: retry === 'request',
    canRetryFile: retry !== false,
    affectsRun,
    endsRun: affectsRun || code === 'locked',
    endsStream: code === 'usage',
    isDisconnect: code === 'reset' || code === 'stalled',
    isCongestion: code === 'rate_limited',
    canRerun: RERUN_EXIT_CODES.has(exitCode) && code !== 'changed' && code !== 'missing',
  };
}

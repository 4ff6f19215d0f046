/**
 * The one list of errors. Each code has the exit code of the contract (section Exit codes) and says whether
 * asking again can help (`retry`), and whether the answer concerns every file of the run (`everyone`):
 * such an answer pauses or ends the whole run.
 */
export const ERRORS = {
  bug: { exitCode: 1, retry: false, everyone: false },
  usage: { exitCode: 2, retry: false, everyone: false },
  /** Files failed for several reasons. */
  mixed: { exitCode: 3, retry: false, everyone: false },
  /** 400 and the like: the service says that the request is wrong. */
  rejected: { exitCode: 3, retry: false, everyone: false },
  /** 401: no key where one is needed, or a wrong one. */
  bad_key: { exitCode: 4, retry: false, everyone: true },
  /** 403 without a time to wait: the key has no access to this file. */
  no_access: { exitCode: 4, retry: false, everyone: false },
  /** No identity that the issuer takes: the user has to sign in. */
  not_signed_in: { exitCode: 4, retry: false, everyone: true },
  /** The user, or the issuer, refused the claim. */
  claim_failed: { exitCode: 4, retry: false, everyone: true },
  /** 403 with a time to wait: the key is active from another IP address. */
  ip_locked: { exitCode: 4, retry: true, everyone: true },
  /** 429. */
  rate_limited: { exitCode: 5, retry: true, everyone: true },
  /** 429 that says that the account's transfer limit is reached: no wait of ours ends it. */
  transfer_limit: { exitCode: 5, retry: false, everyone: true },
  /** DNS, refused connection, TLS, proxy. */
  unreachable: { exitCode: 5, retry: true, everyone: false },
  /** 5xx. */
  server_error: { exitCode: 5, retry: true, everyone: false },
  /** What a person had to do was not done in time, or a call of the account. */
  timed_out: { exitCode: 5, retry: false, everyone: true },
  /** No byte for the stall timeout. */
  stalled: { exitCode: 5, retry: true, everyone: false },
  /** The connection broke in the middle of an answer. */
  reset: { exitCode: 5, retry: true, everyone: false },
  /** An answer that isn't what the interface promises: not JSON, a missing field, too many redirects. */
  bad_answer: { exitCode: 5, retry: false, everyone: false },
  /** Fewer bytes than announced. */
  short_body: { exitCode: 6, retry: true, everyone: false },
  /** Not a whole gzip file, or a checksum that differs. */
  corrupt: { exitCode: 6, retry: true, everyone: false },
  /** The manifest knows a file that isn't there. */
  missing: { exitCode: 6, retry: false, everyone: false },
  /** Whole, but not the bytes that a lock file names; or a file that it doesn't name. */
  changed: { exitCode: 6, retry: false, everyone: false },
  /** The service says that this day isn't there (404, code 140 or 300). */
  unavailable: { exitCode: 7, retry: false, everyone: false },
  not_exported: { exitCode: 7, retry: false, everyone: false },
  /** Full, read-only, no permission: no other file will fare better. */
  disk: { exitCode: 8, retry: false, everyone: true },
  /** This one path can't be written: another day file's, a folder's, too long, a link that leads elsewhere. */
  path_taken: { exitCode: 8, retry: false, everyone: false },
  /** This one file can't be read: no permission, gone, a bad sector. */
  unreadable: { exitCode: 8, retry: false, everyone: false },
  /** The time that the run was given is over, and files are left. */
  out_of_time: { exitCode: 5, retry: false, everyone: true },
  /** The object store's: no credentials, wrong ones, or ones that may not do this. */
  store_refused: { exitCode: 4, retry: false, everyone: true },
  /** The object store could not be reached, was silent or busy, through many tries of its own. */
  store_down: { exitCode: 5, retry: false, everyone: true },
  /** The object store no longer has an upload, or not the parts that it acknowledged: only a new upload helps. */
  upload_lost: { exitCode: 3, retry: true, everyone: false },
  locked: { exitCode: 9, retry: false, everyone: false },
  interrupted: { exitCode: 130, retry: false, everyone: true },
  terminated: { exitCode: 143, retry: false, everyone: true },
} as const satisfies Record<string, { exitCode: number; retry: boolean; everyone: boolean }>;

export type ErrorCode = keyof typeof ERRORS;

export interface ErrorDetails {
  /** HTTP status, where an answer was the cause. */
  readonly status?: number | undefined;
  /** Milliseconds the server asked to wait. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** Any failure that tickhaul can name. The message is one line: the thing, what was found, what to do. */
export class TickhaulError extends Error {
  override readonly name = 'TickhaulError';
  readonly code: ErrorCode;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
  }

  get exitCode(): number {
    return ERRORS[this.code].exitCode;
  }

  get retry(): boolean {
    return ERRORS[this.code].retry;
  }

  get everyone(): boolean {
    return ERRORS[this.code].everyone;
  }
}

/** A mistake in what was asked for: exit code 2. */
export function usageError(message: string): TickhaulError {
  return new TickhaulError('usage', message);
}

/** System errors that any other file would meet as well. */
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

/** System errors that concern one path only. */
const PATH_CODES = new Set(['ENOTDIR', 'EISDIR', 'ERR_FS_EISDIR', 'ENAMETOOLONG', 'ELOOP']);

const FOLDER_THERE = 'a folder stands under the name of a file; remove it or choose another folder';

const DISK_ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free some space and run the same command again',
  EDQUOT: 'the disk quota is used up; free some space and run the same command again',
  EFBIG: 'the file is larger than the limit for files here (ulimit -f)',
  EROFS: 'the file system is read-only; choose another folder',
  EACCES: 'no permission; choose another folder, or change its owner',
  EPERM: 'not permitted; choose another folder, or change its owner',
  EMFILE: 'too many files are open; raise the limit (ulimit -n), or do less at once (--concurrency, --jobs)',
  ENFILE: 'the system has too many files open; end other programs, and run the same command again',
  ENOENT: 'a folder on the way is not there and cannot be made; choose another folder',
  ELOOP: 'a symbolic link stands here, which is not followed; remove it',
  ENOTDIR: 'a file stands where a folder is needed; remove it or choose another folder',
  EISDIR: FOLDER_THERE,
  ERR_FS_EISDIR: FOLDER_THERE,
  ENAMETOOLONG: 'the name is too long for this file system; choose another --layout',
};

/**
 * The error of a file system call as a TickhaulError that names the path; anything else is returned as it is.
 * @param pathCode what an error is that concerns this path only: the end of everything for a file that all need.
 */
export function diskError(
  error: unknown,
  path: string,
  pathCode: 'path_taken' | 'disk' = 'path_taken',
): unknown {
  if (error instanceof TickhaulError || !isSystemError(error)) return error;
  const code = PATH_CODES.has(error.code) ? pathCode : DISK_CODES.has(error.code) ? 'disk' : undefined;
  if (code === undefined) return error;
  return new TickhaulError(code, `${path}: ${DISK_ADVICE[error.code] ?? error.code}`, { cause: error });
}

/** Whether this is an error of a system call, with a code such as ENOENT. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string';
}

/** The reason an AbortSignal was aborted with, always as a TickhaulError. */
export function abortReason(signal: AbortSignal): TickhaulError {
  const reason: unknown = signal.reason;
  return reason instanceof TickhaulError
    ? reason
    : new TickhaulError('interrupted', 'interrupted', { cause: reason });
}

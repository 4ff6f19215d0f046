import { ERROR_TABLE, type ErrorCode } from './errors.js';

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

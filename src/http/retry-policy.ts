import { type FileError, judgeError, TickhaulError, toFileError } from '../base/errors.js';
import { wait } from '../base/wait.js';
import { retryDelayMs } from '../base/with-retries.js';
import type { Concurrency } from './concurrency.js';

export interface RetryLimits {
  /** Number of consecutive retries that may fail. */
  readonly retries: number;
  /** Longest delay that the service may request. */
  readonly maxWaitMs: number;
}

/** What the attempts of one run share. */
export interface RetryContext extends RetryLimits {
  readonly pause: Pause;
  readonly concurrency: Concurrency;
  readonly signal: AbortSignal;
  /** Called before each wait. */
  readonly onRetry: (waitMs: number, error: FileError) => void;
  /** Called if the wait pauses the whole run. */
  readonly onPause: (waitMs: number, error: FileError) => void;
}

/**
 * Waits after a failed attempt until the next one, or pauses the whole run if the response affects all transfers. Lowers
 * the concurrency on congestion. An abort ends the wait without an error.
 * @param failedAttempts number of consecutive failed attempts.
 * @throws TickhaulError if there is no other attempt: the cause, with the reason if the service asked for a longer wait.
 */
export async function waitToRetry(
  cause: TickhaulError,
  failedAttempts: number,
  context: RetryContext,
): Promise<void> {
  assertRetry(cause, failedAttempts, context);
  const { pause, concurrency, signal, onRetry, onPause } = context;
  const { affectsRun, isCongestion, isDisconnect } = judgeError(cause);
  if (isCongestion) concurrency.onCongestion(performance.now(), 'rate');
  if (isDisconnect) concurrency.onCongestion(performance.now(), 'broken');
  const waitMs = Math.max(cause.retryAfterMs ?? 0, retryDelayMs(failedAttempts, Math.random()));
  const error = toFileError(cause);
  onRetry(waitMs, error);
  if (!affectsRun) await wait(waitMs, signal).catch(() => {});
  else if (pause.extend(waitMs)) onPause(waitMs, error);
}

function assertRetry(
  cause: TickhaulError,
  failedAttempts: number,
  { retries, maxWaitMs }: RetryLimits,
): void {
  if (!judgeError(cause).canRetryFile) throw cause;
  const { code, status, retryAfterMs = 0, maxRetries = retries } = cause;
  if (retryAfterMs > maxWaitMs) {
    const seconds = Math.ceil(retryAfterMs / 1000);
    const message = `${cause.message}; the wait of ${seconds}s is longer than --max-wait`;
    throw new TickhaulError(code, message, { status, retryAfterMs, cause });
  }
  if (failedAttempts > Math.min(retries, maxRetries)) throw cause;
}

/** A pause of a whole run, after a response that affects all of its files. */
export interface Pause {
  /** Extends the pause to end no earlier than `ms` from now. @returns whether it is longer now. */
  extend(ms: number): boolean;
  /** Resolves when the pause is over, or at once if there is none. */
  waitUntilOver(signal: AbortSignal): Promise<void>;
}

export interface LocalPause extends Pause {
  /** Milliseconds until the end of the pause; negative or 0 if it is over. */
  remainingMs(): number;
}

export function createPause(now = (): number => performance.now()): LocalPause {
  let endMs = 0;
  const remainingMs = (): number => endMs - now();
  return {
    remainingMs,
    extend(ms) {
      const newEndMs = now() + ms;
      if (newEndMs <= endMs) return false;
      endMs = newEndMs;
      return true;
    },
    async waitUntilOver(signal) {
      for (let left = remainingMs(); left > 0; left = remainingMs()) await wait(left, signal);
    },
  };
}

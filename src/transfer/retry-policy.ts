import { retryDelayMs } from '../base/backoff.js';
import { TickhaulError } from '../base/errors.js';
import { type FileError, toFileError } from '../base/file-error.js';
import { wait } from '../base/wait.js';
import type { Concurrency } from './concurrency.js';
import type { Pause } from './pause.js';

export interface RetryLimits {
  /** Tries in a row that may fail, beside the first. */
  readonly retries: number;
  /** Milliseconds: the longest wait the service may ask for. */
  readonly maxWaitMs: number;
}

/** What the tries of one run share. */
export interface RetryContext {
  readonly pause: Pause;
  readonly concurrency: Concurrency;
  readonly signal: AbortSignal;
  /** Told before each wait. */
  readonly onRetry: (waitMs: number, error: FileError) => void;
  /** Told when the wait holds up the whole run. */
  readonly onPause: (waitMs: number, error: FileError) => void;
}

/** What the tries end with; undefined where another one is due. @param fruitless tries in a row that failed. */
export function finalError(
  cause: TickhaulError,
  fruitless: number,
  { retries, maxWaitMs }: RetryLimits,
): TickhaulError | undefined {
  if (!cause.canRetry) return cause;
  const { code, status, retryAfterMs = 0 } = cause;
  if (retryAfterMs <= maxWaitMs) return fruitless > retries ? cause : undefined;
  const seconds = Math.ceil(retryAfterMs / 1000);
  const message = `${cause.message}; the wait of ${seconds}s is longer than --max-wait`;
  return new TickhaulError(code, message, { status, retryAfterMs, cause });
}

/**
 * Waits before the next try, or has the whole run wait at its pause where the answer concerns every transfer. Slows
 * the run where the service or the line can't bear it. An abort ends the wait without an error.
 */
export async function waitBeforeRetry(
  cause: TickhaulError,
  fruitless: number,
  { pause, concurrency, signal, onRetry, onPause }: RetryContext,
): Promise<void> {
  if (cause.code === 'rate_limited') concurrency.onCongestion(performance.now(), 'rate');
  if (cause.code === 'reset' || cause.code === 'stalled')
    concurrency.onCongestion(performance.now(), 'broken');
  const waitMs = Math.max(cause.retryAfterMs ?? 0, retryDelayMs(fruitless, Math.random()));
  const error = toFileError(cause);
  onRetry(waitMs, error);
  if (!cause.affectsRun) await wait(waitMs, signal).catch(() => {});
  else if (pause.extend(waitMs)) onPause(waitMs, error);
}

import { judgeError, TickhaulError } from './errors.js';
import { wait } from './wait.js';

interface RetryOptions {
  /** Total number of attempts, the first included. */
  readonly maxAttempts: number;
  /** Longest delay that the service may ask for; a longer one ends the retries. */
  readonly maxWaitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Whether the action processes a whole file; otherwise it is a request, which does not repeat lost uploads. */
  readonly isFile?: boolean | undefined;
  /** Called before each wait. */
  readonly onWait?: ((waitMs: number, error: TickhaulError) => void) | undefined;
  /** Returns false for an error that must not be retried, although a retry might help. */
  readonly mayRetry?: ((error: TickhaulError) => boolean) | undefined;
}

/** Repeats the action as long as its error can be retried. @throws the last error. */
export async function withRetries<T>(action: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { maxAttempts, maxWaitMs, signal, isFile, onWait, mayRetry } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof TickhaulError) || attempt >= maxAttempts) throw error;
      const { canRepeatRequest, canRetryFile } = judgeError(error);
      if (!(isFile ? canRetryFile : canRepeatRequest)) throw error;
      const requestedMs = error.retryAfterMs ?? 0;
      if (requestedMs > maxWaitMs || mayRetry?.(error) === false) throw error;
      const waitMs = Math.max(requestedMs, retryDelayMs(attempt, Math.random()));
      onWait?.(waitMs, error);
      await wait(waitMs, signal);
    }
  }
}

const BASE_MS = 250;
const MAX_DELAY_MS = 30_000;

/**
 * Milliseconds to wait before a retry: exponential backoff with full jitter. The upper bound doubles with
 * each retry, from 250 ms to 30 s; the jitter keeps clients that failed together from retrying together.
 * @param attempt 1 for the first retry
 * @param random 0 up to, but not including, 1
 */
export function retryDelayMs(attempt: number, random: number): number {
  const bound = Math.min(MAX_DELAY_MS, BASE_MS * 2 ** Math.max(0, attempt - 1));
  return Math.floor(bound * random);
}

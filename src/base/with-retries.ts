import { retryDelayMs } from './backoff.js';
import { TickhaulError } from './errors.js';
import { wait } from './wait.js';

export interface RetryOptions {
  /** Tries in all. */
  readonly maxAttempts: number;
  /** Milliseconds: the longest wait the service may ask for; a longer one ends the tries. */
  readonly maxWaitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Told before each wait. */
  readonly onWait?: ((waitMs: number, error: TickhaulError) => void) | undefined;
  /** Errors that no try may follow, though one might help. */
  readonly mayRetry?: ((error: TickhaulError) => boolean) | undefined;
}

/** Does something again as long as its error says that this can help; the last error is thrown. */
export async function withRetries<T>(action: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { maxAttempts, maxWaitMs, signal, onWait, mayRetry } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof TickhaulError) || !error.canRetry || attempt >= maxAttempts) throw error;
      const asked = error.retryAfterMs ?? 0;
      if (asked > maxWaitMs || mayRetry?.(error) === false) throw error;
      const waitMs = Math.max(asked, retryDelayMs(attempt, Math.random()));
      onWait?.(waitMs, error);
      await wait(waitMs, signal);
    }
  }
}

import { TickhaulError } from '../errors.js';
import { wait } from '../wait.js';
import { retryDelayMs } from './backoff.js';

export interface RetryOptions {
  /** Tries in all. */
  readonly tries: number;
  /** Milliseconds: the longest wait the service may ask for; a longer one ends the tries. */
  readonly maxWaitMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Does something again as long as its error says that this can help; the last error is thrown. */
export async function withRetries<T>(action: () => Promise<T>, options: RetryOptions): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof TickhaulError) || !error.retry || attempt >= options.tries) throw error;
      const asked = error.retryAfterMs ?? 0;
      if (asked > options.maxWaitMs) throw error;
      await wait(Math.max(asked, retryDelayMs(attempt, Math.random())), options.signal);
    }
  }
}

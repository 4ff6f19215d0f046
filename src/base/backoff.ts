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

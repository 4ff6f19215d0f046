const BASE_MS = 250;
const MAX_DELAY_MS = 30_000;

/**
 * Milliseconds before a try again: full jitter, that is anything from 0 to a bound that doubles with each try
 * from 250 ms and stays at 30 s, so that clients that failed together don't come back together.
 * @param attempt 1 for the first try again
 * @param random 0 up to, but not including, 1
 */
export function retryDelayMs(attempt: number, random: number): number {
  const bound = Math.min(MAX_DELAY_MS, BASE_MS * 2 ** Math.max(0, attempt - 1));
  return Math.floor(bound * random);
}

const MIN_WAIT_MS = 60_000;
const MAX_WAIT_MS = 10 * MIN_WAIT_MS;
const GROWTH = 1.5;

/**
 * Milliseconds until the next check for an export: from 1 to 10 minutes, each half as long again as the last. A
 * random variation of up to a quarter prevents many machines from asking at the same time.
 * @param random from 0 to 1.
 */
export function createWaitMs(attempt: number, random: number): number {
  const waitMs = Math.min(MAX_WAIT_MS, MIN_WAIT_MS * GROWTH ** attempt);
  return Math.round(Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, waitMs * (0.75 + random / 2))));
}

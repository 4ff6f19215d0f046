const MIN_WAIT_MS = 60_000;
const MAX_WAIT_MS = 10 * MIN_WAIT_MS;
const GROWTH = 1.5;

/**
 * Milliseconds until the next look at an export: from 1 to 10 minutes, each step half as long again as the last,
 * give or take a quarter, so that many machines don't ask at the same moment.
 * @param random from 0 to 1.
 */
export function createWaitMs(attempt: number, random: number): number {
  const step = Math.min(MAX_WAIT_MS, MIN_WAIT_MS * GROWTH ** attempt);
  return Math.round(Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, step * (0.75 + random / 2))));
}

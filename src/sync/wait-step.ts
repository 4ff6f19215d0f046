const MINUTE_MS = 60_000;
const MOST_MS = 10 * MINUTE_MS;
const GROWTH = 1.5;

/**
 * Milliseconds until the next look at an export: from 1 to 10 minutes, each step half as long again as the last,
 * give or take a quarter, so that many machines don't ask at the same moment.
 * @param random from 0 to 1.
 */
export function waitStepMs(attempt: number, random: number): number {
  const step = Math.min(MOST_MS, MINUTE_MS * GROWTH ** attempt);
  return Math.round(Math.min(MOST_MS, Math.max(MINUTE_MS, step * (0.75 + random / 2))));
}

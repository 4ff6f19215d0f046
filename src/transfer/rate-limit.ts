import { wait } from '../base/wait.js';

/** Lets bytes pass at no more than a rate, over all transfers that share it. */
export type RateLimit = (bytes: number, signal: AbortSignal) => Promise<void>;

/**
 * @param bytesPerSecond undefined for no limit.
 * @param processes that share it: each has its part.
 * Each chunk books its time after those before it, so that transfers share the rate in the order they ask.
 */
export function createRateLimit(bytesPerSecond: number | undefined, processes = 1): RateLimit {
  if (bytesPerSecond === undefined) return async () => {};
  let bookedUntil = 0;
  return async (bytes, signal) => {
    // A clock that nobody sets: what was booked would else lie hours ahead.
    const now = performance.now();
    bookedUntil = Math.max(bookedUntil, now) + ((bytes * processes) / bytesPerSecond) * 1000;
    const ahead = bookedUntil - now;
    if (ahead > 0) await wait(ahead, signal);
  };
}

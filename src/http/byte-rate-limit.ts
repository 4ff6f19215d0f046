import { wait } from '../base/wait.js';

/** Waits until some bytes may pass, so that all transfers with the same limit stay below its rate. */
export type ByteRateLimit = (bytes: number, signal: AbortSignal) => Promise<void>;

/**
 * Each chunk reserves time after the chunks before it, so transfers share the rate in the order of their
 * calls.
 * @param bytesPerSecond undefined for no limit.
 * @param processes number of processes that share the rate equally.
 */
export function createByteRateLimit(bytesPerSecond: number | undefined, processes = 1): ByteRateLimit {
  if (bytesPerSecond === undefined) return async () => {};
  let reservedUntilMs = 0;
  return async (bytes, signal) => {
    // A monotonic clock: after a change of the system time, the reservations could lie hours ahead.
    const nowMs = performance.now();
    reservedUntilMs = Math.max(reservedUntilMs, nowMs) + ((bytes * processes) / bytesPerSecond) * 1000;
    const waitMs = reservedUntilMs - nowMs;
    if (waitMs > 0) await wait(waitMs, signal);
  };
}

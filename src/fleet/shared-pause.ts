import { withTimeout } from '../base/wait.js';
import { createPause, type Pause } from '../http/retry-policy.js';
import type { OpenQueue } from './open-queue.js';

/** A rate beyond that of any queue: BullMQ supports pauses only with a limiter. */
export const PAUSABLE_LIMITER = { max: 1_000_000_000, duration: 1000 } as const;
/** Milliseconds that a file waits for Redis to report a pause, so that an unreachable Redis does not block it. */
const REPLY_TIMEOUT_MS = 1000;
/** Milliseconds for which a reply is reused, since small files start hundreds of times a second. */
const MAX_REPLY_AGE_MS = 20;

/**
 * The pause of all workers of a queue. Before each file, a worker checks whether any worker was asked to wait; the
 * reply is at most 20 ms old. BullMQ hands out no slice during a pause.
 * @param ends aborted when the worker stops: a file that waits is not in flight.
 */
export function createSharedPause({ queue }: Pick<OpenQueue, 'queue'>, ends: AbortSignal): Pause {
  const own = createPause();
  let requestedAt = Number.NEGATIVE_INFINITY;
  let remaining: Promise<number | undefined> = Promise.resolve(0);
  const getSharedPauseMs = async (): Promise<number> => {
    const now = performance.now();
    if (now - requestedAt >= MAX_REPLY_AGE_MS) {
      requestedAt = now;
      const reply = queue.getRateLimitTtl(PAUSABLE_LIMITER.max).catch(() => 0);
      remaining = withTimeout(reply, REPLY_TIMEOUT_MS);
    }
    return (await remaining) ?? 0;
  };
  return {
    extend: own.extend,
    async waitUntilOver(sliceSignal) {
      for (;;) {
        const sharedMs = await getSharedPauseMs();
        if (sharedMs > 0) own.extend(sharedMs);
        // Usually there is no pause, and so no need for a combined signal.
        if (own.remainingMs() <= 0) return;
        await own.waitUntilOver(AbortSignal.any([sliceSignal, ends]));
      }
    },
  };
}

/** Pauses all workers, unless a longer pause is active. Redis accepts whole milliseconds only, so it is rounded up. */
export async function pauseAll({ queue }: Pick<OpenQueue, 'queue'>, ms: number): Promise<void> {
  if ((await queue.getRateLimitTtl(PAUSABLE_LIMITER.max)) < ms) await queue.rateLimit(Math.ceil(ms));
}

import { withTimeout } from '../base/wait.js';
import { createPause, type Pause } from '../transfer/pause.js';
import type { OpenQueue } from './open-queue.js';

/** More slices a second than any queue gives: without a limit, BullMQ knows no pause. */
export const RATE_LIMITER = { max: 1_000_000_000, duration: 1000 } as const;
/** Milliseconds after which a file no longer waits to hear of a pause: Redis may be gone, and the file is not. */
const REPLY_TIMEOUT_MS = 1000;
/** Milliseconds for which an answer serves: of small files there are hundreds a second. */
const MAX_REPLY_AGE_MS = 20;

/**
 * The pause of all workers of a queue: before each file they look whether one of them was told to wait, at most 20 ms ago.
 * BullMQ hands out no slice meanwhile.
 * @param ends aborted when the worker is to end: a file that waits is not under way.
 */
export function createSharedPause({ queue }: Pick<OpenQueue, 'queue'>, ends: AbortSignal): Pause {
  const own = createPause();
  let asked = Number.NEGATIVE_INFINITY;
  let answer: Promise<number | undefined> = Promise.resolve(0);
  const ofOthers = async (): Promise<number> => {
    const now = performance.now();
    if (now - asked >= MAX_REPLY_AGE_MS) {
      asked = now;
      const ttl = queue.getRateLimitTtl(RATE_LIMITER.max).catch(() => 0);
      answer = withTimeout(ttl, REPLY_TIMEOUT_MS);
    }
    return (await answer) ?? 0;
  };
  return {
    extend: own.extend,
    async waitUntilOver(ofSlice) {
      for (;;) {
        const others = await ofOthers();
        if (others > 0) own.extend(others);
        // Mostly there is nothing to wait for, and so nothing that would have to end it.
        if (own.remainingMs() <= 0) return;
        await own.waitUntilOver(AbortSignal.any([ofSlice, ends]));
      }
    },
  };
}

/**
 * Has all workers wait, unless they wait for longer already. A part of a millisecond would be refused by Redis, so it is
 * rounded up.
 */
export async function pauseAll({ queue }: Pick<OpenQueue, 'queue'>, ms: number): Promise<void> {
  if ((await queue.getRateLimitTtl(RATE_LIMITER.max)) < ms) await queue.rateLimit(Math.ceil(ms));
}

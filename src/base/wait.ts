import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_TIMER_MS } from './deadline.js';
import { abortReason } from './errors.js';

/**
 * Waits so many milliseconds, at most as long as a timer can run.
 * @throws the reason of the abort, as a TickhaulError.
 */
export async function wait(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(Math.min(ms, MAX_TIMER_MS), undefined, signal && { signal });
  } catch (error) {
    throw signal?.aborted ? abortReason(signal) : error;
  }
}

/** What a promise gives, unless the signal is aborted first. @throws the reason of the abort, as a TickhaulError. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(abortReason(signal));
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    // In any case: a failure that nobody waits for would end the process.
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/** Lets signals, answers and other work come in between. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

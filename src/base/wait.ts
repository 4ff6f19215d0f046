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
export function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(abortReason(signal));
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    // In any case: a failure that nobody waits for would end the process.
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/** What a promise gives; undefined where it takes longer than so many milliseconds. @throws what the promise does. */
export function withTimeout<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const isOver = new AbortController();
  const patience = wait(ms, isOver.signal).then(
    () => undefined,
    () => undefined,
  );
  return Promise.race([promise, patience]).finally(() => isOver.abort());
}

/** Resolves when the signal is aborted. */
export function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => void onAbort(signal, () => resolve()));
}

/**
 * Does something once the signal is aborted, at once where it is.
 * @returns to be called when that is over: signals keep those who listen, with all that they know.
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true });
  return () => signal.removeEventListener('abort', act);
}

/** Lets signals, answers and other work come in between. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

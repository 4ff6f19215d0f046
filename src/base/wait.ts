import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_TIMER_MS } from './deadline.js';
import { abortReason } from './errors.js';

/**
 * Waits for some milliseconds, at most as long as a timer can run.
 * @throws the abort reason, as a TickhaulError.
 */
export async function wait(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(Math.min(ms, MAX_TIMER_MS), undefined, signal && { signal });
  } catch (error) {
    throw signal?.aborted ? abortReason(signal) : error;
  }
}

/**
 * Returns the result of the promise, or stops waiting when the signal is aborted.
 * @throws the error of the promise, or the abort reason as a TickhaulError.
 */
export function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const rejectAborted = (): void => reject(abortReason(signal));
    if (signal.aborted) rejectAborted();
    else signal.addEventListener('abort', rejectAborted, { once: true });
    // Attach these even after an abort: an unhandled rejection would end the process.
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', rejectAborted));
  });
}

/**
 * Returns the result of the promise, or undefined if it takes longer than `ms` milliseconds.
 * @throws the error of the promise.
 */
export function withTimeout<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const done = new AbortController();
  const timeout = wait(ms, done.signal).then(
    () => undefined,
    () => undefined,
  );
  return Promise.race([promise, timeout]).finally(() => done.abort());
}

/** Resolves when the signal is aborted. */
export function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => void onAbort(signal, () => resolve()));
}

/**
 * Calls back when the signal is aborted, or at once if it already is.
 * @returns a function that removes the listener. Call it: a signal keeps its listeners, and all they refer
 * to, alive.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** Lets the event loop handle signals, responses and other work. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Lets requests that were just made be sent, unless connecting takes time: one turn of the event loop connects, the next
 * one sends. Await it before work that keeps the thread busy while their responses are awaited.
 */
export async function letRequestsStart(): Promise<void> {
  await yieldToEventLoop();
  await yieldToEventLoop();
}

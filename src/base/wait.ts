import { setTimeout as sleep } from 'node:timers/promises';
import { abortReason, type TickhaulError } from './errors.js';

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

/** The longest delay that a Node timer supports. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** A time limit with an AbortSignal. */
export interface Deadline {
  /** Aborted when the time is over. */
  readonly signal: AbortSignal;
  /** Cancels the limit: the signal is never aborted. */
  clear(): void;
}

/** @param ms milliseconds; undefined for no limit. @param reason abort reason of the signal. */
export function startDeadline(ms: number | undefined, reason: TickhaulError): Deadline {
  const controller = new AbortController();
  if (ms === undefined) return { signal: controller.signal, clear: () => {} };
  const timer = setTimeout(() => controller.abort(reason), Math.min(ms, MAX_TIMER_MS));
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}

/** A promise that is resolved or rejected by its creator. A rejection without a listener is ignored. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

export function createDeferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((resolvePromise, rejectPromise) => {
    resolve = resolvePromise;
    reject = rejectPromise;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}

/** A first-in, first-out queue with one reader. */
export class AsyncQueue<T> {
  readonly #values: T[];
  #end: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(values: readonly T[] = []) {
    this.#values = [...values];
  }

  /** Number of values that can be read at once. */
  get length(): number {
    return this.#values.length;
  }

  push(value: T): void {
    this.#values.push(value);
    this.#wake?.();
  }

  /**
   * Ends the queue. With an error, `next` throws it once all values are read. Only the first call has an
   * effect.
   */
  end(error?: unknown): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  /** Resolves to the next value, or undefined at the end. Calls must not overlap. */
  async next(): Promise<T | undefined> {
    while (this.#values.length === 0 && !this.#end) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const value = this.#values.shift();
    if (value === undefined && this.#end?.error !== undefined) throw this.#end.error;
    return value;
  }
}

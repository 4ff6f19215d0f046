import { setTimeout as sleep } from 'node:timers/promises';
import { abortReason } from './errors.js';

/**
 * Waits so many milliseconds.
 * @throws the reason of the abort, as a TickhaulError.
 */
export async function wait(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, signal && { signal });
  } catch (error) {
    throw signal?.aborted ? abortReason(signal) : error;
  }
}

/** Lets signals, answers and other work come in between. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

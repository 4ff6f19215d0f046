import { setTimeout as delay } from 'node:timers/promises';

/** Longest wait, sufficient for the slowest machine. */
const MAX_WAIT_MS = 120_000;
/** Looking at every turn of the event loop would take the processor that the awaited command needs. */
const POLL_MS = 5;

/**
 * Polls until a condition is met, if there is no event for it.
 * @param what description of the condition, for the error.
 * @param look returns the result, or a falsy value.
 * @param over ends the wait early when it settles, since the condition can no longer be met.
 * @returns the last result.
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  over: Promise<unknown> = new Promise(() => {}),
): Promise<T> {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  over.then(end, end);
  const last = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const mayCome = !isOver && performance.now() < last;
    const found = await look();
    if (found) return found;
    if (!mayCome) throw new Error(`${what} did not come`);
    await delay(POLL_MS);
  }
}

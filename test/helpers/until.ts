import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** Longest wait, sufficient for the slowest machine. */
const MAX_WAIT_MS = 120_000;
/** A condition that takes longer than this is polled with pauses, which leave the processor to what is waited for. */
const BUSY_MS = 20;
const PAUSE_MS = 5;

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
  const start = performance.now();
  for (;;) {
    const waitedMs = performance.now() - start;
    const mayCome = !isOver && waitedMs < MAX_WAIT_MS;
    const found = await look();
    if (found) return found;
    if (!mayCome) throw new Error(`${what} did not come`);
    await (waitedMs < BUSY_MS ? nextTurn() : sleep(PAUSE_MS));
  }
}

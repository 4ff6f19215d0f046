import { setImmediate as nextTurn } from 'node:timers/promises';

/** The longest wait, in milliseconds: what has not come by then does not come, on the slowest machine either. */
const LONGEST = 120_000;

/**
 * Looks again and again until something is there, for what no event tells of.
 * @param what it is, for the error.
 * @param look gives it, or something false.
 * @param over after whose end it can no longer come.
 * @returns what the last look gave.
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
  const last = performance.now() + LONGEST;
  for (;;) {
    const mayCome = !isOver && performance.now() < last;
    const found = await look();
    if (found) return found;
    if (!mayCome) throw new Error(`${what} did not come`);
    await nextTurn();
  }
}

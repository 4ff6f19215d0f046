import { wait } from '../base/wait.js';

/** Resolves when it is time for a line. @param localTimestamp microseconds since any fixed time. */
export type Pace = (localTimestamp: number) => Promise<void>;

/** Gives lines at the pace at which they were received, times `speed`. @param flush called before each wait. */
export function createPace(speed: number, flush: () => Promise<void>, signal: AbortSignal): Pace {
  let first: { readonly time: number; readonly at: number } | undefined;
  return async (localTimestamp) => {
    first ??= { time: localTimestamp, at: performance.now() };
    const left = (localTimestamp - first.time) / 1000 / speed - (performance.now() - first.at);
    if (left < 1) return;
    await flush();
    await wait(left, signal);
  };
}

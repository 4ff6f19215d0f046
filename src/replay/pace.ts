import { wait } from '../base/wait.js';

/** Resolves when a line is due. @param localTimestamp microseconds since any fixed time. */
export type Pace = (localTimestamp: number) => Promise<void>;

/**
 * Creates a pace that replays the recorded intervals between lines, divided by `speed`.
 * @param flush called before each wait.
 */
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

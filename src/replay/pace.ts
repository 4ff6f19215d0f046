import { wait } from '../base/wait.js';

/** Resolves when a line is due. @param localTimestamp microseconds since any fixed time. */
export type Pace = (localTimestamp: number) => Promise<void>;

/**
 * Creates a pace that replays the recorded intervals between lines, divided by `speed`.
 * @param flush called before each wait.
 */
export function createPace(speed: number, flush: () => Promise<void>, signal: AbortSignal): Pace {
  let start: { readonly localTimestamp: number; readonly nowMs: number } | undefined;
  return async (localTimestamp) => {
    start ??= { localTimestamp, nowMs: performance.now() };
    const remainingMs =
      (localTimestamp - start.localTimestamp) / 1000 / speed - (performance.now() - start.nowMs);
    if (remainingMs < 1) return;
    await flush();
    await wait(remainingMs, signal);
  };
}

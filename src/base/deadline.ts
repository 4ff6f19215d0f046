import type { TickhaulError } from './errors.js';

/** The longest that a timer of Node can run. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** A time by which something must be done. */
export interface Deadline {
  /** Aborted at its end. */
  readonly signal: AbortSignal;
  /** Forgets it: the signal is never aborted then. */
  clear(): void;
}

/** @param ms milliseconds; undefined for no end. @param reason what the signal is aborted with. */
export function startDeadline(ms: number | undefined, reason: TickhaulError): Deadline {
  const controller = new AbortController();
  if (ms === undefined) return { signal: controller.signal, clear: () => {} };
  const timer = setTimeout(() => controller.abort(reason), Math.min(ms, MAX_TIMER_MS));
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}

import type { TickhaulError } from './errors.js';

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

import { formatDuration } from '../../base/units.js';
import type { OutputScreen } from './text/screen.js';

/** Milliseconds between two lines for the same reason (docs/spec/command-line.md#streams). */
const INTERVAL_MS = 10_000;
const MIN_REPORTED_WAIT_MS = 1000;

/**
 * Limits how often a line is printed.
 * @param now monotonic clock in milliseconds.
 * @returns whether a line is due, by its subject or reason; true at most once per interval.
 */
export function createThrottle(now: () => number): (subject?: string) => boolean {
  const printedAtMs = new Map<string, number>();
  return (subject = '') => {
    if (now() - (printedAtMs.get(subject) ?? Number.NEGATIVE_INFINITY) < INTERVAL_MS) return false;
    printedAtMs.set(subject, now());
    return true;
  };
}

export interface Wait {
  /** Reason of the wait, as a code. */
  readonly reason: string;
  readonly message: string;
  readonly waitMs: number;
}

/** Reports waits for retries. @param now monotonic clock in milliseconds. */
export function createWaitReporter(screen: OutputScreen, now: () => number): (wait: Wait) => void {
  const isDue = createThrottle(now);
  return ({ reason, message, waitMs }) => {
    if (waitMs < MIN_REPORTED_WAIT_MS || !isDue(reason)) return;
    screen.write(`${message}; retrying in ${formatDuration(waitMs)}\n`);
  };
}

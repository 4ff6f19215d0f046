import { formatDuration } from '../../base/units.js';
import type { OutputScreen } from '../arguments/command.js';

/** Milliseconds between two lines for the same reason (docs/spec/command-line.md#streams). */
const INTERVAL_MS = 10_000;
const MIN_REPORTED_WAIT_MS = 1000;

export interface Wait {
  /** Reason of the wait, as a code. */
  readonly reason: string;
  readonly message: string;
  readonly waitMs: number;
}

/** Reports waits for retries. @param now monotonic clock in milliseconds. */
export function createWaitReporter(screen: OutputScreen, now: () => number): (wait: Wait) => void {
  let last = { reason: '', time: Number.NEGATIVE_INFINITY };
  return ({ reason, message, waitMs }) => {
    if (waitMs < MIN_REPORTED_WAIT_MS) return;
    if (reason === last.reason && now() - last.time < INTERVAL_MS) return;
    last = { reason, time: now() };
    screen.write(`${message}; retrying in ${formatDuration(waitMs)}\n`);
  };
}

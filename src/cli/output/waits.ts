import { formatDuration } from '../../base/units.js';
import type { OutputScreen } from '../arguments/command.js';

/** Milliseconds between two lines that say the same (contract, Output), and the shortest wait worth a line. */
const INTERVAL_MS = 10_000;
const WORTH_TELLING_MS = 1000;

export interface Wait {
  /** What it waits for, as a code. */
  readonly reason: string;
  readonly message: string;
  readonly waitMs: number;
}

/** Tells of waits for a try again. @param now milliseconds of a clock that never goes back. */
export function waitTeller(screen: OutputScreen, now: () => number): (wait: Wait) => void {
  let last = { reason: '', time: Number.NEGATIVE_INFINITY };
  return ({ reason, message, waitMs }) => {
    if (waitMs < WORTH_TELLING_MS) return;
    if (reason === last.reason && now() - last.time < INTERVAL_MS) return;
    last = { reason, time: now() };
    screen.write(`${message}; asking again in ${formatDuration(waitMs)}\n`);
  };
}

import { TickhaulError } from '../../base/errors.js';
import { rejectOnAbort } from '../../base/wait.js';
import { LEASE_CLOCK, type LeaseClock } from './lease-clock.js';

/** Milliseconds that the end of a run may take for what it leaves in a store: one that is down holds nobody for longer. */
export const SHUTDOWN_TIMEOUT_MS = 5_000;

/**
 * Does something at the end of a run, unless the store takes too long for it.
 * @param name `s3://bucket/key`, for the error.
 * @param work is broken off by its signal.
 * @throws what `runCommand` throws; TickhaulError `store_down` when the time is over.
 */
export async function withShutdownTimeout<T>(
  name: string,
  work: (signal: AbortSignal) => Promise<T>,
  clock: Pick<LeaseClock, 'wait'> = LEASE_CLOCK,
): Promise<T> {
  const over = new AbortController();
  const done = new AbortController();
  clock.wait(SHUTDOWN_TIMEOUT_MS, done.signal).then(
    () => over.abort(createShutdownTimeoutError(name)),
    () => {},
  );
  try {
    return await rejectOnAbort(work(over.signal), over.signal);
  } finally {
    done.abort();
  }
}

/** Why something was given up at the end of a run. */
export function createShutdownTimeoutError(name: string): TickhaulError {
  return new TickhaulError('store_down', `${name}: the store did not do it in time`);
}

import { TickhaulError } from '../../base/errors.js';
import { rejectOnAbort } from '../../base/wait.js';
import { CLOCK, type LockClock } from '../lock/heartbeat.js';

/**
 * Time for the last requests of a run (docs/spec/s3-layout.md#end-of-a-run), so that a store that is down
 * does not block it.
 */
export const SHUTDOWN_TIMEOUT_MS = 5_000;

/**
 * Runs `work` at the end of a run, with a time limit.
 * @param name `s3://bucket/key`, for the error.
 * @param work receives a signal that is aborted when the time is over.
 * @throws what `work` throws; TickhaulError `store_down` when the time is over.
 */
export async function withShutdownTimeout<T>(
  name: string,
  work: (signal: AbortSignal) => Promise<T>,
  clock: Pick<LockClock, 'wait'> = CLOCK,
): Promise<T> {
  const timeout = new AbortController();
  const done = new AbortController();
  clock.wait(SHUTDOWN_TIMEOUT_MS, done.signal).then(
    () => timeout.abort(createShutdownTimeoutError(name)),
    () => {},
  );
  try {
    return await rejectOnAbort(work(timeout.signal), timeout.signal);
  } finally {
    done.abort();
  }
}

/** The error of requests that did not finish in time at the end of a run. */
export function createShutdownTimeoutError(name: string): TickhaulError {
  return new TickhaulError(
    'store_down',
    `${name}: the store did not respond in time; run the same command again`,
  );
}

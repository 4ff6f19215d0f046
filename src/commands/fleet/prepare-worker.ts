import { usageError } from '../../base/errors.js';
import { createSliceWork } from '../../fleet/create-slice-work.js';
import { runWorker } from '../../fleet/run-worker.js';
import type { SliceDestination } from '../../fleet/slice-job.js';
import type { WorkerEvent, WorkerSummary } from '../../fleet/worker-events.js';
import { openDestination } from '../../store/open-destination.js';
import type { CommandArgs } from '../arguments/command-args.js';
import { readBooleanFlag, readCount, readTimerMs } from '../arguments/read-arguments.js';
import type { CommandHost } from '../command-host.js';
import { createLockOwner } from '../create-lock-owner.js';
import { countConversionThreads } from '../selection/read-conversion-options.js';
import { readStallTimeout } from '../selection/read-selection.js';
import { withServiceSession } from '../service-session.js';
import { toStoreSettings } from '../with-destination.js';
import { readQueueAccess, withQueue } from './queue-access.js';

const CONCURRENCY = 4;
const LOCK_MS = 60_000;
const LEAST_LOCK_MS = 1000;

/** Works on slices of the queue. @throws usage error. */
export function prepareWorker(
  args: CommandArgs,
  host: CommandHost,
): (emit: (event: WorkerEvent) => void, note?: (line: string) => void) => Promise<WorkerSummary> {
  const access = readQueueAccess(args, host);
  const concurrency = readCount(args, 'concurrency', 1, 100) ?? CONCURRENCY;
  const once = readBooleanFlag(args, 'once');
  const lockMs = readLock(args);
  const stallTimeoutMs = readStallTimeout(args);
  const threads = countConversionThreads();
  const owner = (): ReturnType<typeof createLockOwner> => createLockOwner(host);
  const { signal } = host;
  return (emit, note) =>
    withServiceSession(args, host, { stallTimeoutMs, note }, ({ client, settings }) =>
      withQueue(access, { warn: (message) => emit({ event: 'warning', message }), signal }, (open) => {
        const own = toStoreSettings(settings, stallTimeoutMs);
        // This machine may know of another store.
        const openOne = ({ dir, store = own }: SliceDestination, noMore: AbortSignal) => {
          const { endpoint, region = own.region, pathStyle } = store;
          return openDestination(dir, { ...own, endpoint, region, pathStyle }, noMore);
        };
        const work = createSliceWork({ client, openDestination: openOne, owner, threads });
        return runWorker({ open, work, concurrency, once, lockMs, emit, signal });
      }),
    );
}

function readLock(args: CommandArgs): number {
  const lockMs = readTimerMs(args, 'lock-duration') ?? LOCK_MS;
  if (lockMs >= LEAST_LOCK_MS) return lockMs;
  throw usageError('--lock-duration is shorter than a second: a worker that is busy would lose its slices');
}

import { usageError } from '../../base/errors.js';
import { downloadSlices } from '../../fleet/download-slices.js';
import type { WorkerEvent, WorkerSummary } from '../../fleet/events.js';
import type { SliceDestination } from '../../fleet/slice-job.js';
import { runWorker } from '../../fleet/worker.js';
import { openDestination } from '../../store/open-destination.js';
import type { Args } from '../arguments/args.js';
import { readCount, readTimer, readToggle } from '../arguments/read.js';
import { storeSettings } from '../destination.js';
import type { Host } from '../host.js';
import { lockOwner } from '../lock-owner.js';
import { conversionThreads } from '../selection/conversion.js';
import { readStallTimeout } from '../selection/selection.js';
import { withSession } from '../session.js';
import { readQueueAccess, withQueue } from './queue-access.js';

const CONCURRENCY = 4;
const LOCK_MS = 60_000;
const LEAST_LOCK_MS = 1000;

/** Works on slices of the queue. @throws usage error. */
export function prepareWorker(
  args: Args,
  host: Host,
): (emit: (event: WorkerEvent) => void, note?: (line: string) => void) => Promise<WorkerSummary> {
  const access = readQueueAccess(args, host);
  const concurrency = readCount(args, 'concurrency', 1, 100) ?? CONCURRENCY;
  const once = readToggle(args, 'once');
  const lockMs = readLock(args);
  const stallTimeoutMs = readStallTimeout(args);
  const threads = conversionThreads();
  const owner = (): ReturnType<typeof lockOwner> => lockOwner(host);
  const { signal } = host;
  return (emit, note) =>
    withSession(args, host, { stallTimeoutMs, note }, ({ client, settings }) =>
      withQueue(access, { warn: (message) => emit({ event: 'warning', message }), signal }, (open) => {
        const own = storeSettings(settings, stallTimeoutMs);
        // This machine may know of another store.
        const openOne = ({ dir, store = own }: SliceDestination, noMore: AbortSignal) => {
          const { endpoint, region = own.region, pathStyle } = store;
          return openDestination(dir, { ...own, endpoint, region, pathStyle }, noMore);
        };
        const work = downloadSlices({ client, openDestination: openOne, owner, threads });
        return runWorker({ open, work, concurrency, once, lockMs, emit, signal });
      }),
    );
}

function readLock(args: Args): number {
  const lockMs = readTimer(args, 'lock-duration') ?? LOCK_MS;
  if (lockMs >= LEAST_LOCK_MS) return lockMs;
  throw usageError('--lock-duration is shorter than a second: a worker that is busy would lose its slices');
}

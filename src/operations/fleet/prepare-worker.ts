import { usageError } from '../../base/errors.js';
import { parseDuration } from '../../base/units.js';
import { type RunWorkerInput, runWorker } from '../../fleet/run-worker.js';
import type { SliceDestination } from '../../fleet/slice-job.js';
import type { WorkerEvent, WorkerSummary } from '../../fleet/slice-outcome.js';
import { createSliceWork } from '../../fleet/slice-work.js';
import { WORKER_OPTIONS } from '../../options/queue-options.js';
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

const MIN_LOCK_MS = 1000;

type RunPreparedWorker = (
  emit: (event: WorkerEvent) => void,
  note?: (line: string) => void,
  onStuck?: RunWorkerInput['onStuck'],
) => Promise<WorkerSummary>;

/** Prepares `worker`, which downloads slices of the queue. @throws usage error. */
export function prepareWorker(args: CommandArgs, host: CommandHost): RunPreparedWorker {
  const access = readQueueAccess(args, host);
  const concurrency = readCount(args, 'concurrency', 1, 100) ?? Number(WORKER_OPTIONS.concurrency.default);
  const once = readBooleanFlag(args, 'once');
  const lockMs = readLockMs(args);
  const stallTimeoutMs = readStallTimeout(args);
  const threads = countConversionThreads();
  const owner = (): ReturnType<typeof createLockOwner> => createLockOwner(host);
  const { signal } = host;
  return (emit, note, onStuck) =>
    withServiceSession(args, host, { stallTimeoutMs, note }, ({ client, settings }) =>
      withQueue(access, { warn: (message) => emit({ event: 'warning', message }), signal }, (open) => {
        const ownStore = toStoreSettings(settings, stallTimeoutMs);
        // A slice may name another store than this machine's settings.
        const openSliceDestination = (
          { dir, store = ownStore }: SliceDestination,
          abortSignal: AbortSignal,
        ) => {
          const { endpoint, region = ownStore.region, pathStyle } = store;
          return openDestination(dir, { ...ownStore, endpoint, region, pathStyle }, abortSignal);
        };
        const work = createSliceWork({ client, openDestination: openSliceDestination, owner, threads });
        return runWorker({ open, work, concurrency, once, lockMs, emit, onStuck, signal });
      }),
    );
}

function readLockMs(args: CommandArgs): number {
  const lockMs = readTimerMs(args, 'lock-duration') ?? parseDuration(WORKER_OPTIONS['lock-duration'].default);
  if (lockMs >= MIN_LOCK_MS) return lockMs;
  throw usageError('--lock-duration: at least 1s; with less, a busy worker would lose its slices');
}

import type { WorkerEvent, WorkerSummary } from '../../fleet/events.js';
import { runWorker } from '../../fleet/worker.js';
import { openDestination } from '../../store/open-destination.js';
import type { Args } from '../arguments/args.js';
import { readCount, readToggle } from '../arguments/read.js';
import { storeSettings } from '../destination.js';
import type { Host } from '../host.js';
import { lockOwner } from '../lock-owner.js';
import { conversionThreads } from '../selection/conversion.js';
import { readStallTimeout } from '../selection/selection.js';
import { withSession } from '../session.js';
import { readQueueAccess, withQueue } from './queue-access.js';

const CONCURRENCY = 4;

/** Works on slices of the queue. @throws usage error. */
export function prepareWorker(
  args: Args,
  host: Host,
): (emit: (event: WorkerEvent) => void, note?: (line: string) => void) => Promise<WorkerSummary> {
  const access = readQueueAccess(args, host);
  const concurrency = readCount(args, 'concurrency', 1, 100) ?? CONCURRENCY;
  const once = readToggle(args, 'once');
  const stallTimeoutMs = readStallTimeout(args);
  const threads = conversionThreads();
  const owner = (): ReturnType<typeof lockOwner> => lockOwner(host);
  const { signal } = host;
  return (emit, note) =>
    withSession(args, host, { stallTimeoutMs, note }, ({ client, settings }) =>
      withQueue(access, { warn: (message) => emit({ event: 'warning', message }), signal }, (open) => {
        const store = storeSettings(settings, stallTimeoutMs);
        const input = { open, client, owner, concurrency, once, threads, emit, signal };
        return runWorker({ ...input, openDestination: (name) => openDestination(name, store) });
      }),
    );
}

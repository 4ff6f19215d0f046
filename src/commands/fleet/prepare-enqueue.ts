import { resolve } from 'node:path';
import { usageError } from '../../base/errors.js';
import type { Selection } from '../../download/download-options.js';
import { createPin } from '../../download/lists/pinned-plan.js';
import { type EnqueueSummary, enqueuePlan } from '../../fleet/enqueue-plan.js';
import { isObjectLocation } from '../../store/location.js';
import type { CommandArgs } from '../arguments/command-args.js';
import { readCount, readTextFlag } from '../arguments/read-arguments.js';
import type { CommandHost } from '../command-host.js';
import type { RunObserver } from '../command-run.js';
import {
  createDownloadOptions,
  openDownloadTarget,
  readDownloadTarget,
} from '../selection/download-target.js';
import { readStallTimeout } from '../selection/read-selection.js';
import { withServiceSession } from '../service-session.js';
import type { Settings } from '../settings.js';
import { withDestination } from '../with-destination.js';
import { readQueueAccess, withQueue } from './queue-access.js';

/** Puts what a download would bring into the queue. @throws usage error. */
export async function prepareEnqueue(
  args: CommandArgs,
  host: CommandHost,
): Promise<(teller: RunObserver) => Promise<EnqueueSummary>> {
  const access = readQueueAccess(args, host);
  const wanted = await readDownloadTarget(args, host, 'enqueue');
  const { selection } = wanted;
  if (!selection) throw usageError('enqueue takes a selection, or --pinned');
  const sliceDays = readSliceDays(args);
  const maxSlices = readCount(args, 'max-slices', 1, 100_000);
  const stallTimeoutMs = readStallTimeout(args);
  const { signal } = host;
  return ({ emit, note }) => {
    const warn = (message: string): void => emit({ event: 'warning', message });
    return withQueue(access, { warn, signal }, (open) =>
      withServiceSession(args, host, { stallTimeoutMs, note }, (session) =>
        withDestination(forAllMachines(session.settings), { stallTimeoutMs, signal }, async (destination) => {
          const options = createDownloadOptions(wanted, args);
          const about = { destination, options, signal };
          const { plan, record, manifest } = await openDownloadTarget(wanted, { ...about, session, emit });
          await manifest.close();
          if (!record || !('range' in plan)) throw new Error('a plan of a selection without its record');
          const pin = createPin(selection, record, plan);
          const range = {
            from: plan.range.from,
            to: hasFixedEnd(selection) ? plan.range.to : Number.POSITIVE_INFINITY,
          };
          return enqueuePlan({ ...about, open, plan, range, pin, sliceDays, maxSlices });
        }),
      ),
    );
  };
}

/** Workers elsewhere are to find the same folder. */
function forAllMachines(settings: Settings): Settings {
  const { downloadDir } = settings;
  return isObjectLocation(downloadDir) ? settings : { ...settings, downloadDir: resolve(downloadDir) };
}

/** Else the end is the export's, which is another one tomorrow. */
function hasFixedEnd({ to, date, last }: Selection): boolean {
  return to !== undefined || date !== undefined || last !== undefined;
}

const MOST_DAYS = 31;

function readSliceDays(args: CommandArgs): number | undefined {
  const text = readTextFlag(args, 'slice');
  if (text === undefined) return undefined;
  const days = Number(/^(\d{1,2})d$/.exec(text)?.[1] ?? 0);
  if (days >= 1 && days <= MOST_DAYS) return days;
  throw usageError(`--slice: "${text}" is no number of days; write 1d to ${MOST_DAYS}d`);
}

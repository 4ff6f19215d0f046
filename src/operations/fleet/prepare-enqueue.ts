import { resolve } from 'node:path';
import { usageError } from '../../base/errors.js';
import type { RequestedSelection } from '../../download/download-options.js';
import type { KeyProblem } from '../../events/exit-reasons.js';
import { type EnqueueSummary, enqueuePlan } from '../../fleet/enqueue-plan.js';
import { isObjectLocation } from '../../store/location.js';
import type { CommandArgs } from '../arguments/command-args.js';
import { readCount, readTextFlag } from '../arguments/read-arguments.js';
import type { CommandHost } from '../command-host.js';
import type { RunObserver } from '../command-run.js';
import { loadSettings } from '../config/load-config.js';
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

/** Result of `enqueue`. */
export interface EnqueueResult extends EnqueueSummary {
  /** Why days are unauthorized. */
  readonly keyProblem: KeyProblem | undefined;
}

/** Prepares `enqueue`, which adds the slices of a download to the queue. @throws usage error. */
export async function prepareEnqueue(
  args: CommandArgs,
  host: CommandHost,
): Promise<(observer: RunObserver) => Promise<EnqueueResult>> {
  const access = readQueueAccess(args, host);
  const target = await readDownloadTarget(args, host, 'enqueue');
  const { selection } = target;
  if (!selection)
    throw usageError('enqueue: these flags select nothing to enqueue; use a selection or --pinned');
  const sliceDays = readSliceDays(args);
  const maxSlices = readCount(args, 'max-slices', 1, 100_000);
  const stallTimeoutMs = readStallTimeout(args);
  const { signal } = host;
  // Before the queue is asked: their errors are the user's.
  const settings = await loadSettings(args, host);
  return ({ emit, note }) => {
    const warn = (message: string): void => emit({ event: 'warning', message });
    return withQueue(access, { warn, signal }, (open) =>
      withServiceSession(args, host, { settings, stallTimeoutMs, note }, (session) =>
        withDestination(
          withAbsoluteFolder(session.settings),
          { stallTimeoutMs, signal },
          async (destination) => {
            const options = createDownloadOptions(target, args);
            const context = { destination, options, signal };
            const { plan, record, manifest, keyProblem } = await openDownloadTarget(target, {
              ...context,
              session,
              emit,
            });
            await manifest.close();
            if (!record || !('range' in plan)) throw new Error('a plan of a selection without its record');
            const range = {
              from: plan.range.from,
              to: hasFixedEnd(selection) ? plan.range.to : Number.POSITIVE_INFINITY,
            };
            const summary = await enqueuePlan({
              ...context,
              open,
              plan,
              range,
              record,
              sliceDays,
              maxSlices,
            });
            return { ...summary, keyProblem };
          },
        ),
      ),
    );
  };
}

/** Workers on other machines need an absolute path to the same folder. */
function withAbsoluteFolder(settings: Settings): Settings {
  const { downloadDir } = settings;
  return isObjectLocation(downloadDir) ? settings : { ...settings, downloadDir: resolve(downloadDir) };
}

/** Whether the last day is fixed; otherwise it is the end of the export, which moves every day. */
function hasFixedEnd({ to, date, last }: RequestedSelection): boolean {
  return to !== undefined || date !== undefined || last !== undefined;
}

const MAX_SLICE_DAYS = 31;

function readSliceDays(args: CommandArgs): number | undefined {
  const text = readTextFlag(args, 'slice');
  if (text === undefined) return undefined;
  const days = Number(/^(\d{1,2})d$/.exec(text)?.[1] ?? 0);
  if (days >= 1 && days <= MAX_SLICE_DAYS) return days;
  throw usageError(`--slice: "${text}" is not a number of days; use 1d to ${MAX_SLICE_DAYS}d`);
}

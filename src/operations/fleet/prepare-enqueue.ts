import { resolve } from 'node:path';
import { usageError } from '../../base/errors.js';
import type { RequestedSelection } from '../../download/download-options.js';
import { createPin } from '../../download/lists/pinned-plan.js';
import type { KeyProblem } from '../../events/exit-reasons.js';
import { type EnqueueSummary, enqueuePlan } from '../../fleet/enqueue-plan.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import { type CommandValues, readCommandOptions } from '../../options/read-options.js';
import { isObjectLocation } from '../../store/location.js';
import type { CommandArgs } from '../arguments/command-args.js';
import type { CommandHost } from '../command-host.js';
import { type Context, type RunObserver, withContext } from '../context.js';
import {
  createDownloadSettings,
  openDownloadTarget,
  readDownloadTarget,
} from '../selection/download-target.js';
import { readQueueAccess, withQueue } from './queue-access.js';

/** Result of `enqueue`. */
export interface EnqueueResult extends EnqueueSummary {
  /** Why days are unauthorized. */
  readonly keyProblem: KeyProblem | undefined;
}

/** Prepares `enqueue`. @throws usage error. */
export async function prepareEnqueue(
  args: CommandArgs,
  host: CommandHost,
): Promise<(observer: RunObserver) => Promise<EnqueueResult>> {
  const options = readCommandOptions(COMMAND_OPTIONS.enqueue, args);
  return (observer) => withContext(options, host, observer, (context) => enqueue(args, options, context));
}

/** `enqueue`: adds the slices of a download to the queue. */
async function enqueue(
  args: CommandArgs,
  options: CommandValues<typeof COMMAND_OPTIONS.enqueue>,
  context: Context,
): Promise<EnqueueResult> {
  const access = readQueueAccess(args, context);
  const target = await readDownloadTarget(options, context, 'enqueue');
  const { selection } = target;
  if (!selection)
    throw usageError('enqueue: these flags select nothing to enqueue; use a selection or --pinned');
  const sliceDays = readSliceDays(options.slice);
  const downloadSettings = createDownloadSettings(target, options);
  const { maxSlices } = options;
  const { emit, signal } = context;
  // Before the queue is asked: their errors are the user's.
  const { downloadDir, cacheDir: cache } = await context.settings();
  const warn = (message: string): void => emit({ event: 'warning', message });
  return withQueue(access, { warn, signal }, async (open) => {
    const client = await context.client();
    // Workers on other machines need an absolute path to the same folder.
    const destination = await context.destination(
      isObjectLocation(downloadDir) ? downloadDir : resolve(downloadDir),
    );
    const shared = { destination, options: downloadSettings, signal };
    const { plan, record, manifest, keyProblem } = await openDownloadTarget(target, {
      ...{ ...shared, client, cache, emit },
    });
    await manifest.close();
    if (!record || !('range' in plan)) throw new Error('a plan of a selection without its record');
    const pin = createPin(record, plan);
    const range = {
      from: plan.range.from,
      to: hasFixedEnd(selection) ? plan.range.to : Number.POSITIVE_INFINITY,
    };
    const summary = await enqueuePlan({ ...shared, open, plan, range, pin, sliceDays, maxSlices });
    return { ...summary, keyProblem };
  });
}

/** Whether the last day is fixed; otherwise it is the end of the export, which moves every day. */
function hasFixedEnd({ to, date, last }: RequestedSelection): boolean {
  return to !== undefined || date !== undefined || last !== undefined;
}

const MAX_SLICE_DAYS = 31;

function readSliceDays(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const days = Number(/^(\d{1,2})d$/.exec(text)?.[1] ?? 0);
  if (days >= 1 && days <= MAX_SLICE_DAYS) return days;
  throw usageError(`--slice: "${text}" is not a number of days; use 1d to ${MAX_SLICE_DAYS}d`);
}

import { resolve } from 'node:path';
import { ERROR_TABLE, usageError } from '../../base/errors.js';
import { formatCount, plural } from '../../base/units.js';
import type { RequestedSelection } from '../../download/download-options.js';
import { toJsonLine } from '../../events/json-events.js';
import { describeRequiredDays, describeUncoveredDays } from '../../events/run-tally.js';
import type { EnqueueSummary } from '../../fleet/enqueue-plan.js';
import type { Context } from '../../operations/context.js';
import type { OpenedTarget } from '../../operations/selection/download-target.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import type { CommandValues } from '../../options/read-options.js';
import { isObjectLocation } from '../../store/location.js';
import { defineCommand } from '../arguments/define-flags.js';
import { withOutputContext } from '../run-command.js';

export const enqueueCommand = defineCommand(COMMAND_OPTIONS.enqueue, {
  examples: [
    [
      '$0 enqueue binance-futures -t trades -s all --from 2020-01 --dir /data',
      'one slice per series and month; workers start with the newest',
    ],
    [
      '$0 enqueue deribit -t incremental_book_L2 -s all --last 9d --slice 1d',
      'one slice per day, for files of gigabytes',
    ],
  ],
  async run(options, cli) {
    const { output } = cli;
    const summary = await withOutputContext(options, cli, (context) => enqueue(options, context));
    const { unauthorized, keyProblem, missing, ...counts } = summary;
    if (unauthorized > 0) output.warn(`left out: ${describeUncoveredDays(unauthorized, keyProblem)}`);
    const isStrict = options.strict && missing > 0;
    // With --quiet too, as it is the reason of the exit code.
    if (isStrict) output.printError(`warning ${describeRequiredDays(missing).message}\n`);
    const exitCode = isStrict ? ERROR_TABLE.not_exported.exitCode : 0;
    const { slices, added, present } = counts;
    await output.result({
      json: () => toJsonLine({ event: 'summary', exitCode, ...counts }),
      text: () =>
        `${plural(slices, 'slice')}: ${formatCount(added)} added, ${formatCount(present)} already queued\n`,
      unlessQuiet: 'stderr',
    });
    return exitCode;
  },
});

/** `enqueue`: adds the slices of a download to the queue. */
async function enqueue(
  options: CommandValues<typeof COMMAND_OPTIONS.enqueue>,
  context: Context,
): Promise<EnqueueSummary & Pick<OpenedTarget, 'keyProblem'>> {
  const { readQueueAccess, withQueue } = await import('../../fleet/open-queue.js');
  const { createDownloadSettings, openDownloadTarget, readDownloadTarget } = await import(
    '../../operations/selection/download-target.js'
  );
  const { enqueuePlan } = await import('../../fleet/enqueue-plan.js');
  const access = readQueueAccess(options.queue, context);
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
    const range = {
      from: plan.range.from,
      to: hasFixedEnd(selection) ? plan.range.to : Number.POSITIVE_INFINITY,
    };
    const summary = await enqueuePlan({ ...shared, open, plan, range, record, sliceDays, maxSlices });
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

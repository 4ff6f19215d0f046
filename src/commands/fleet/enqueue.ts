import { resolve } from 'node:path';
import { usageError } from '../../base/errors.js';
import { pinOf } from '../../download/lists/pin.js';
import type { Selection } from '../../download/types.js';
import { type EnqueueSummary, enqueue } from '../../fleet/enqueue.js';
import { isObject } from '../../store/location.js';
import type { Args } from '../arguments/args.js';
import { readCount, readText } from '../arguments/read.js';
import { withDestination } from '../destination.js';
import type { Settings } from '../environment.js';
import type { Host } from '../host.js';
import type { Teller } from '../run.js';
import { readStallTimeout } from '../selection/selection.js';
import { openWanted, optionsFor, readWanted } from '../selection/wanted.js';
import { withSession } from '../session.js';
import { readQueueAccess, withQueue } from './queue-access.js';

/** Puts what a download would bring into the queue. @throws usage error. */
export async function prepareEnqueue(
  args: Args,
  host: Host,
): Promise<(teller: Teller) => Promise<EnqueueSummary>> {
  const access = readQueueAccess(args, host);
  const wanted = await readWanted(args, host, 'enqueue');
  const { selection } = wanted;
  if (!selection) throw usageError('enqueue takes a selection, or --pinned');
  const sliceDays = readSliceDays(args);
  const maxSlices = readCount(args, 'max-slices', 1, 100_000);
  const stallTimeoutMs = readStallTimeout(args);
  const { signal } = host;
  return ({ emit, note }) => {
    const warn = (message: string): void => emit({ event: 'warning', message });
    return withQueue(access, { warn, signal }, (open) =>
      withSession(args, host, { stallTimeoutMs, note }, (session) =>
        withDestination(forAllMachines(session.settings), { stallTimeoutMs, signal }, async (destination) => {
          const options = optionsFor(wanted, args);
          const about = { destination, options, signal };
          const { plan, record, manifest } = await openWanted(wanted, { ...about, session, emit });
          await manifest.close();
          if (!record || !('range' in plan)) throw new Error('a plan of a selection without its record');
          const pin = pinOf(selection, record, plan);
          const range = {
            from: plan.range.from,
            to: hasEnd(selection) ? plan.range.to : Number.POSITIVE_INFINITY,
          };
          return enqueue({ ...about, open, plan, range, pin, sliceDays, maxSlices });
        }),
      ),
    );
  };
}

/** Workers elsewhere are to find the same folder. */
function forAllMachines(settings: Settings): Settings {
  const { downloadDir } = settings;
  return isObject(downloadDir) ? settings : { ...settings, downloadDir: resolve(downloadDir) };
}

/** Else the end is the export's, which is another one tomorrow. */
function hasEnd({ to, date, last }: Selection): boolean {
  return to !== undefined || date !== undefined || last !== undefined;
}

const MOST_DAYS = 31;

function readSliceDays(args: Args): number | undefined {
  const text = readText(args, 'slice');
  if (text === undefined) return undefined;
  const days = Number(/^(\d{1,2})d$/.exec(text)?.[1] ?? 0);
  if (days >= 1 && days <= MOST_DAYS) return days;
  throw usageError(`--slice: "${text}" is no number of days; write 1d to ${MOST_DAYS}d`);
}

import { usageError } from '../base/errors.js';
import type { Coverage, CoverageSelection } from '../coverage/types.js';
import { addDays, dayOfMs, parseDay } from '../dataset/day.js';
import type { Args } from './arguments/args.js';
import { checkedLocation, readDay, readText } from './arguments/read.js';
import { loadSettings } from './config/file.js';
import { withDestination } from './destination.js';
import type { Host } from './host.js';
import { readFolderPaths } from './selection/folder-paths.js';
import { readSeriesSelection } from './selection/selection.js';

/** What a download folder holds. */
export interface CoverageOf {
  readonly dir: string;
  readonly facts: Coverage;
}

/** The days of a download folder. @throws usage error. */
export async function prepareCoverage(
  args: Args,
  host: Host,
): Promise<(warn: (message: string) => void) => Promise<CoverageOf>> {
  const selection = await readCoverageSelection(args, host.signal);
  const folder = readText(args, 'folder');
  if (folder !== undefined && args['dir'] !== undefined)
    throw usageError('<folder> and --dir name the same thing; give one of them');
  const folders = folder === undefined ? [] : [checkedLocation('<folder>', folder)];
  const settings = await loadSettings(args, host);
  const { readCoverage } = await import('../coverage/read.js');
  return async (warn) => {
    const { dir, paths } = await readFolderPaths(folders, settings, host);
    const [under = ''] = paths;
    return withDestination({ ...settings, downloadDir: dir }, host, async (destination) => ({
      dir: destination.locate(under),
      facts: await readCoverage(destination, { selection, under, warn, signal: host.signal }),
    }));
  };
}

/** A page that needs no network. */
export async function coveragePage({ dir, facts }: CoverageOf): Promise<string> {
  const { renderPage } = await import('../coverage/page/html.js');
  return renderPage(facts, { dir, now: Date.now() });
}

/** A hundred years. */
const MAX_DAYS = 36_500;

async function readCoverageSelection(args: Args, signal: AbortSignal): Promise<CoverageSelection> {
  const [from, to] = ['from', 'to'].map((flag) => {
    const text = readDay(args, flag);
    return text === undefined ? undefined : parseDay(text);
  });
  const end = to ?? addDays(dayOfMs(Date.now()), 1);
  if (from !== undefined && end <= from) {
    throw usageError(
      to === undefined
        ? '--from lies in the future; choose an earlier day'
        : '--to must be after --from: the day of --to is not included',
    );
  }
  if (from !== undefined && end - from > MAX_DAYS) {
    throw usageError(`--from and --to span ${end - from} days, at most ${MAX_DAYS}; choose a shorter range`);
  }
  return { ...(await readSeriesSelection(args, signal)), from, to };
}

import { usageError } from '../base/errors.js';
import { addDays, msToDay, parseDay } from '../day-files/day.js';
import type { Coverage, CoverageSelection } from '../describe/coverage/coverage-facts.js';
import { COMMAND_OPTIONS } from '../options/command-options.js';
import { readOptions } from '../options/read-options.js';
import type { CommandArgs } from './arguments/command-args.js';
import { readDayBound } from './arguments/read-arguments.js';
import type { CommandHost } from './command-host.js';
import { loadSettings } from './config/load-config.js';
import { findFolder, readFolderArgument } from './selection/read-folder-paths.js';
import { readSeriesSelection } from './selection/read-selection.js';
import { withDestination } from './with-destination.js';

/** Coverage of a download folder. */
export interface FolderCoverage {
  readonly dir: string;
  readonly facts: Coverage;
}

/** Prepares `coverage` of a download folder. @throws usage error. */
export async function prepareCoverage(
  args: CommandArgs,
  host: CommandHost,
): Promise<(warn: (message: string) => void) => Promise<FolderCoverage>> {
  const selection = await readCoverageSelection(args, host.signal);
  const folders = readFolderArgument(args);
  const settings = await loadSettings(args, host);
  const { readCoverage } = await import('../describe/coverage/read-coverage.js');
  return async (warn) => {
    const { dir, paths, names } = await findFolder(folders, settings, host);
    const [subfolder = ''] = paths;
    return withDestination({ ...settings, downloadDir: dir }, host, async (destination) => ({
      dir: destination.locate(subfolder),
      facts: await readCoverage(destination, {
        selection,
        under: subfolder,
        name: names.get(subfolder),
        warn,
        signal: host.signal,
      }),
    }));
  };
}

/** Renders the coverage as an HTML page that loads nothing from the network. */
export async function createCoveragePage({ dir, facts }: FolderCoverage): Promise<string> {
  const { renderCoveragePage } = await import('../describe/coverage/page/render-coverage-page.js');
  return renderCoveragePage(facts, { dir, now: Date.now() });
}

/** A hundred years. */
const MAX_DAYS = 36_500;

async function readCoverageSelection(args: CommandArgs, signal: AbortSignal): Promise<CoverageSelection> {
  const [from, to] = ['from', 'to'].map((flag) => {
    const text = readDayBound(args, flag);
    return text === undefined ? undefined : parseDay(text);
  });
  const end = to ?? addDays(msToDay(Date.now()), 1);
  if (from !== undefined && end <= from) {
    throw usageError(
      to === undefined
        ? '--from lies in the future; choose an earlier day'
        : '--to is exclusive, so it must be after --from',
    );
  }
  if (from !== undefined && end - from > MAX_DAYS) {
    throw usageError(`--from and --to span ${end - from} days, at most ${MAX_DAYS}; choose a shorter range`);
  }
  return { ...(await readSeriesSelection(readOptions(COMMAND_OPTIONS.coverage, args), signal)), from, to };
}

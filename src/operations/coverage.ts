import { usageError } from '../base/errors.js';
import { addDays, msToDay, parseDay } from '../day-files/day.js';
import type { DayFileSelection } from '../day-files/series-filter.js';
import type { Coverage } from '../describe/coverage/coverage-facts.js';
import type { COMMAND_OPTIONS } from '../options/command-options.js';
import type { CommandValues } from '../options/read-options.js';
import type { Context } from './context.js';
import { findFolder } from './selection/read-folder-paths.js';
import { readDayFileSelection } from './selection/read-selection.js';

/** Coverage of a download folder. */
export interface FolderCoverage {
  readonly dir: string;
  readonly facts: Coverage;
}

type CoverageValues = CommandValues<typeof COMMAND_OPTIONS.coverage>;

/** `coverage` of a download folder. Warnings are events. */
export async function readFolderCoverage(options: CoverageValues, context: Context): Promise<FolderCoverage> {
  const { signal, emit } = context;
  const selection = await readCoverageSelection(options, context);
  const { readCoverage } = await import('../describe/coverage/read-coverage.js');
  const { dir, paths, names } = await findFolder(options, context);
  const [under = ''] = paths;
  const destination = await context.destination(dir);
  const warn = (message: string): void => emit({ event: 'warning', message });
  const facts = await readCoverage(destination, { selection, under, name: names.get(under), warn, signal });
  return { dir: destination.locate(under), facts };
}

/** Renders the coverage as an HTML page that loads nothing from the network. */
export async function createCoveragePage({ dir, facts }: FolderCoverage): Promise<string> {
  const { renderCoveragePage } = await import('../describe/coverage/page/render-coverage-page.js');
  return renderCoveragePage(facts, { dir, now: Date.now() });
}

/** A hundred years. */
const MAX_DAYS = 36_500;

/** Every day of a range is shown, so that it must not be too long. @throws usage error. */
async function readCoverageSelection(options: CoverageValues, context: Context): Promise<DayFileSelection> {
  const selection = await readDayFileSelection(options, context);
  const { from, to } = selection.days ?? {};
  if (from === undefined) return selection;
  const [start, end] = [parseDay(from), to === undefined ? addDays(msToDay(Date.now()), 1) : parseDay(to)];
  if (end - start > MAX_DAYS)
    throw usageError(`--from and --to span ${end - start} days, at most ${MAX_DAYS}; choose a shorter range`);
  return selection;
}

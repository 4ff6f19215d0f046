import { availableParallelism } from 'node:os';
import { usageError } from '../../base/errors.js';
import { readCount, readPaths, readToggle } from '../../commands/arguments/read.js';
import { loadSettings } from '../../commands/config/file.js';
import type { Args, Cli } from '../arguments/types.js';
import { reportRun } from '../session.js';
import { readCacheFolder } from './cache-folder.js';

/** What makes sense of day files only. */
const OF_DAY_FILES = ['quick', 'repair', 'adopt', 'forget', 'clean', 'strict'];

/** `verify --cache`: the slices of raw data, each to its end (contract, Commands). @returns the exit code. */
export async function verifyCache(args: Args, cli: Cli): Promise<number> {
  const other = OF_DAY_FILES.find((flag) => readToggle(args, flag));
  if (other !== undefined) {
    throw usageError(
      `--${other} is for day files; --cache only looks: a replay fetches a damaged slice again`,
    );
  }
  const [path] = readPaths(args, 'path');
  if (path !== undefined) {
    throw usageError(`"${path}" is no day file to check beside --cache; name its folder as --cache-dir`);
  }
  const folder = readCacheFolder(args, cli, await loadSettings(args, cli));
  const jobs = readCount(args, 'jobs', 1, 256) ?? availableParallelism();
  return reportRun(args, cli, async ({ emit }) => {
    const { checkSlices } = await import('../../feeds/cache/check-slices.js');
    return checkSlices({ folder, jobs, emit, signal: cli.signal });
  });
}

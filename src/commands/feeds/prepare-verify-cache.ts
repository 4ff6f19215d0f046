import { availableParallelism } from 'node:os';
import { usageError } from '../../base/errors.js';
import type { CommandArgs } from '../arguments/command-args.js';
import { readBooleanFlag, readCount, readPaths } from '../arguments/read-arguments.js';
import type { CommandHost } from '../command-host.js';
import type { CommandRun } from '../command-run.js';
import { loadSettings } from '../config/load-config.js';
import { pathExists } from '../path-exists.js';
import { readCacheFolder } from './read-cache-folder.js';

/** What makes sense of day files only: toggles, and flags with a value. */
const OF_DAY_FILES = ['quick', 'listed', 'repair', 'adopt', 'forget', 'clean', 'strict'];
const WHICH_DAY_FILES = ['exchange', 'type', 'symbol', 'shard'];

/** `verify --cache`: the slices of raw data, each to its end (contract, Commands). @throws usage error. */
export async function prepareVerifyCache(args: CommandArgs, host: CommandHost): Promise<CommandRun> {
  const other =
    OF_DAY_FILES.find((flag) => readBooleanFlag(args, flag)) ??
    WHICH_DAY_FILES.find((flag) => args[flag] !== undefined);
  if (other !== undefined) {
    throw usageError(
      `--${other} is for day files; --cache only looks: a replay fetches a damaged slice again`,
    );
  }
  const [path] = readPaths(args, 'path');
  if (path !== undefined) {
    throw usageError(`"${path}" is no day file to check beside --cache; name its folder as --cache-dir`);
  }
  const settings = await loadSettings(args, host);
  const folder = readCacheFolder(args, host, settings);
  const isNamed = folder !== settings.cacheDir;
  const jobs = readCount(args, 'jobs', 1, 256) ?? availableParallelism();
  return async ({ emit }) => {
    // The user's own is made when the first slice comes.
    if (isNamed && !(await pathExists(folder))) {
      throw usageError(`${folder}: there is no such folder; name that of the cache with --cache-dir`);
    }
    const { checkSlices } = await import('../../feeds/cache/check-slices.js');
    return checkSlices({ folder, jobs, emit, signal: host.signal });
  };
}

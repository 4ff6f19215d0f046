import { availableParallelism } from 'node:os';
import { pathExists } from '../../base/disk-files.js';
import { usageError } from '../../base/errors.js';
import type { CommandArgs } from '../arguments/command-args.js';
import { readBooleanFlag, readCount, readPaths } from '../arguments/read-arguments.js';
import type { CommandHost } from '../command-host.js';
import type { CommandRun } from '../command-run.js';
import { loadSettings } from '../config/load-config.js';
import { readCacheFolder } from './with-feed-run.js';

/** Flags that apply to day files only: toggles, and flags with a value. */
const DAY_FILE_TOGGLES = ['quick', 'listed', 'repair', 'adopt', 'forget', 'clean', 'strict'];
const DAY_FILE_SELECTORS = ['exchange', 'type', 'symbol', 'shard'];

/** Prepares `verify --cache`: reads each slice of raw data to its end. @throws usage error. */
export async function prepareVerifyCache(args: CommandArgs, host: CommandHost): Promise<CommandRun> {
  const invalidFlag =
    DAY_FILE_TOGGLES.find((flag) => readBooleanFlag(args, flag)) ??
    DAY_FILE_SELECTORS.find((flag) => args[flag] !== undefined);
  if (invalidFlag !== undefined) {
    throw usageError(
      `--${invalidFlag} applies to day files only; omit it with --cache (a replay downloads damaged slices again)`,
    );
  }
  const [path] = readPaths(args, 'path');
  if (path !== undefined) {
    throw usageError(
      `"${path}" is not a cache folder, and --cache checks no day files; set the cache folder with --cache-dir`,
    );
  }
  const settings = await loadSettings(args, host);
  const folder = readCacheFolder(args, host, settings);
  const isNamed = folder !== settings.cacheDir;
  const jobs = readCount(args, 'jobs', 1, 256) ?? availableParallelism();
  return async ({ emit }) => {
    // The default folder is created with its first slice, so only a named folder must exist.
    if (isNamed && !(await pathExists(folder))) {
      throw usageError(`${folder}: no such folder; set the cache folder with --cache-dir`);
    }
    const { checkSlices } = await import('../../raw-feeds/cache/slice-files.js');
    return checkSlices({ folder, jobs, emit, signal: host.signal });
  };
}

import { availableParallelism } from 'node:os';
import { usageError } from '../base/errors.js';
import type { RunSummary } from '../events/run-events.js';
import { COMMAND_OPTIONS } from '../options/command-options.js';
import { readOptions } from '../options/read-options.js';
import type { RepairFiles } from '../verify/file-checks.js';
import type { CommandArgs } from './arguments/command-args.js';
import { readBooleanFlag, readCount, readDuration, readLocations } from './arguments/read-arguments.js';
import type { CommandHost } from './command-host.js';
import type { CommandRun } from './command-run.js';
import { loadSettings } from './config/load-config.js';
import { createLockOwner } from './create-lock-owner.js';
import { readFolderPaths } from './selection/read-folder-paths.js';
import {
  DOWNLOAD_READ,
  readDownloadOptions,
  readSeriesSelection,
  readStallTimeout,
} from './selection/read-selection.js';
import { withServiceSession } from './service-session.js';
import { withDestination } from './with-destination.js';

/**
 * Prepares `verify`: checks a download folder against its manifest and its checksums, or the slice cache.
 * @throws usage error.
 */
export async function prepareVerify(args: CommandArgs, host: CommandHost): Promise<CommandRun> {
  if (readBooleanFlag(args, 'cache')) {
    const { prepareVerifyCache } = await import('./feeds/prepare-verify-cache.js');
    return prepareVerifyCache(args, host);
  }
  const settings = await loadSettings(args, host);
  const givenPaths = readLocations(args, 'path');
  const options = readDownloadOptions(readOptions(DOWNLOAD_READ, args));
  const stallTimeoutMs = readStallTimeout(args);
  const checkInput = {
    selection: await readSeriesSelection(readOptions(COMMAND_OPTIONS.verify, args), host.signal),
    shard: options.shard,
    quick: readBooleanFlag(args, 'quick') || readBooleanFlag(args, 'listed'),
    jobs: readCount(args, 'jobs', 1, 256) ?? availableParallelism(),
    adopt: readBooleanFlag(args, 'adopt'),
    clean: readBooleanFlag(args, 'clean'),
    forget: readBooleanFlag(args, 'forget'),
    strict: options.strict,
    owner: createLockOwner(host),
    lockTimeoutMs: readDuration(args, 'lock-timeout'),
    signal: host.signal,
  };
  const isRepair = readBooleanFlag(args, 'repair');
  assertCompatibleFlags(args);
  const storeOptions = { stallTimeoutMs, signal: host.signal };
  return async ({ emit, note }) => {
    const { dir, paths, names } = await readFolderPaths(givenPaths, settings, storeOptions);
    return withDestination({ ...settings, downloadDir: dir }, storeOptions, async (destination) => {
      const { verifyDestination } = await import('../verify/verify-destination.js');
      const check = (repair?: RepairFiles): Promise<RunSummary> =>
        verifyDestination({ ...checkInput, paths, names, destination, repair, emit });
      if (!isRepair) return check();
      const { createRepair } = await import('../verify/repair.js');
      return withServiceSession(args, host, { stallTimeoutMs, note }, ({ client }) =>
        check(createRepair({ client, destination, options, threads: checkInput.jobs, emit })),
      );
    });
  };
}

/** @throws usage error for flags that contradict each other. */
function assertCompatibleFlags(args: CommandArgs): void {
  const isSet = (flag: string): boolean => readBooleanFlag(args, flag);
  if (isSet('repair') && isSet('forget')) {
    throw usageError(
      '--forget and --repair: a missing file is either forgotten or downloaded again; use only one of them',
    );
  }
  const readingFlag = ['repair', 'adopt'].find(isSet);
  if (isSet('listed') && readingFlag !== undefined) {
    throw usageError(`--${readingFlag} reads files, but --listed does not; use --quick instead of --listed`);
  }
}

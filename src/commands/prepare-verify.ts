import { availableParallelism } from 'node:os';
import { usageError } from '../base/errors.js';
import type { RunSummary } from '../run/run-events.js';
import type { StoreSettings } from '../store/files.js';
import { type CheckThread, startCheckThread } from '../verify/check/check-thread.js';
import type { RepairFiles } from '../verify/file-check.js';
import type { VerifyInput } from '../verify/verify-input.js';
import type { CommandArgs } from './arguments/command-args.js';
import { readBooleanFlag, readCount, readDuration, readLocations } from './arguments/read-arguments.js';
import type { CommandHost } from './command-host.js';
import type { CommandRun } from './command-run.js';
import { loadSettings } from './config/load-config.js';
import { createLockOwner } from './create-lock-owner.js';
import { readFolderPaths } from './selection/read-folder-paths.js';
import { readDownloadOptions, readSeriesSelection, readStallTimeout } from './selection/read-selection.js';
import { withServiceSession } from './service-session.js';
import { toStoreSettings, withDestination } from './with-destination.js';

/** Threads for any folder; more begin when it is known how many files there are. */
const EARLY_THREADS = 2;

/** A download folder against its manifest and the files' own checksums, or the cache of slices. @throws usage error. */
export async function prepareVerify(args: CommandArgs, host: CommandHost): Promise<CommandRun> {
  if (readBooleanFlag(args, 'cache')) {
    const { prepareVerifyCache } = await import('./feeds/prepare-verify-cache.js');
    return prepareVerifyCache(args, host);
  }
  const settings = await loadSettings(args, host);
  const named = readLocations(args, 'path');
  const options = readDownloadOptions(args);
  const stallTimeoutMs = readStallTimeout(args);
  const checking = {
    selection: await readSeriesSelection(args, host.signal),
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
  refuseContradictions(args);
  const store = toStoreSettings(settings, stallTimeoutMs);
  const reach = { stallTimeoutMs, signal: host.signal };
  return async ({ emit, note }) => {
    const { dir, paths } = await readFolderPaths(named, settings, reach);
    return withThreads(checking, store, (threads) =>
      withDestination({ ...settings, downloadDir: dir }, reach, async (destination) => {
        const { verifyDestination } = await import('../verify/verify-destination.js');
        const check = (repair?: RepairFiles): Promise<RunSummary> =>
          verifyDestination({ ...checking, paths, destination, threads, repair, emit });
        if (!isRepair) return check();
        const { createRepair } = await import('../verify/amend/repair.js');
        return withServiceSession(args, host, { stallTimeoutMs, note }, ({ client }) =>
          check(createRepair({ client, destination, options, threads: checking.jobs, emit })),
        );
      }),
    );
  };
}

/** @throws usage error for flags that do not go together. */
function refuseContradictions(args: CommandArgs): void {
  const isSet = (flag: string): boolean => readBooleanFlag(args, flag);
  if (isSet('repair') && isSet('forget')) {
    throw usageError(
      '--forget and --repair do not go together: what is missing is forgotten or brought again',
    );
  }
  const reading = ['repair', 'adopt'].find(isSet);
  if (isSet('listed') && reading !== undefined) {
    throw usageError(`--listed reads nothing, and --${reading} has to; --quick goes with it`);
  }
}

/** Has some threads start while the rest is loaded and the manifest is read; a quick look needs none. */
async function withThreads<T>(
  { quick, jobs }: Pick<VerifyInput, 'quick' | 'jobs'>,
  store: StoreSettings,
  work: (threads: readonly CheckThread[]) => Promise<T>,
): Promise<T> {
  const count = quick ? 0 : Math.min(jobs, EARLY_THREADS);
  const threads = Array.from({ length: count }, () => startCheckThread(store));
  try {
    return await work(threads);
  } finally {
    await Promise.all(threads.map((thread) => thread.close()));
  }
}

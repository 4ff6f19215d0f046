import { availableParallelism } from 'node:os';
import { usageError } from '../base/errors.js';
import type { RunSummary } from '../run/events.js';
import type { StoreSettings } from '../store/files.js';
import { type CheckThread, startCheckThread } from '../verify/check/threads.js';
import type { VerifyInput } from '../verify/input.js';
import type { Repair } from '../verify/types.js';
import type { Args } from './arguments/args.js';
import { readCount, readDuration, readLocations, readToggle } from './arguments/read.js';
import { loadSettings } from './config/file.js';
import { storeSettings, withDestination } from './destination.js';
import type { Host } from './host.js';
import { lockOwner } from './lock-owner.js';
import type { Run } from './run.js';
import { readFolderPaths } from './selection/folder-paths.js';
import { readDownloadOptions, readSeriesSelection, readStallTimeout } from './selection/selection.js';
import { withSession } from './session.js';

/** Threads for any folder; more begin when it is known how many files there are. */
const EARLY_THREADS = 2;

/** A download folder against its manifest and the files' own checksums, or the cache of slices. @throws usage error. */
export async function prepareVerify(args: Args, host: Host): Promise<Run> {
  if (readToggle(args, 'cache')) {
    const { prepareVerifyCache } = await import('./feeds/verify-cache.js');
    return prepareVerifyCache(args, host);
  }
  const settings = await loadSettings(args, host);
  const named = readLocations(args, 'path');
  const options = readDownloadOptions(args);
  const stallTimeoutMs = readStallTimeout(args);
  const checking = {
    selection: await readSeriesSelection(args, host.signal),
    shard: options.shard,
    quick: readToggle(args, 'quick') || readToggle(args, 'listed'),
    jobs: readCount(args, 'jobs', 1, 256) ?? availableParallelism(),
    adopt: readToggle(args, 'adopt'),
    clean: readToggle(args, 'clean'),
    forget: readToggle(args, 'forget'),
    strict: options.strict,
    owner: lockOwner(host),
    lockTimeoutMs: readDuration(args, 'lock-timeout'),
    signal: host.signal,
  };
  const isRepair = readToggle(args, 'repair');
  refuseContradictions(args);
  const store = storeSettings(settings, stallTimeoutMs);
  const reach = { stallTimeoutMs, signal: host.signal };
  return async ({ emit, note }) => {
    const { dir, paths } = await readFolderPaths(named, settings, reach);
    return withThreads(checking, store, (threads) =>
      withDestination({ ...settings, downloadDir: dir }, reach, async (destination) => {
        const { verify } = await import('../verify/run.js');
        const check = (repair?: Repair): Promise<RunSummary> =>
          verify({ ...checking, paths, destination, threads, repair, emit });
        if (!isRepair) return check();
        const { createRepair } = await import('../verify/amend/repair.js');
        return withSession(args, host, { stallTimeoutMs, note }, ({ client }) =>
          check(createRepair({ client, destination, options, threads: checking.jobs, emit })),
        );
      }),
    );
  };
}

/** @throws usage error for flags that do not go together. */
function refuseContradictions(args: Args): void {
  const isSet = (flag: string): boolean => readToggle(args, flag);
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

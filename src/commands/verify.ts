import { availableParallelism } from 'node:os';
import { usageError } from '../base/errors.js';
import type { RunSummary } from '../run/events.js';
import { type CheckThread, startCheckThread } from '../verify/check/threads.js';
import type { Repair } from '../verify/types.js';
import type { Args } from './arguments/args.js';
import { readCount, readDuration, readPaths, readToggle } from './arguments/read.js';
import { loadSettings } from './config/file.js';
import { withDestination } from './destination.js';
import type { Host } from './host.js';
import { lockOwner } from './lock-owner.js';
import type { Run } from './run.js';
import { readDownloadOptions, readSeriesSelection, readStallTimeout } from './selection/selection.js';
import { readFolderPaths } from './selection/verify-paths.js';
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
  const { dir, paths } = await readFolderPaths(readPaths(args, 'path'), settings.downloadDir);
  const options = readDownloadOptions(args);
  const checking = {
    dir,
    paths,
    selection: await readSeriesSelection(args, host.signal),
    shard: options.shard,
    quick: readToggle(args, 'quick'),
    jobs: readCount(args, 'jobs', 1, 256) ?? availableParallelism(),
    adopt: readToggle(args, 'adopt'),
    clean: readToggle(args, 'clean'),
    forget: readToggle(args, 'forget'),
    strict: options.strict,
    owner: lockOwner(host),
    lockTimeoutMs: readDuration(args, 'lock-timeout'),
    signal: host.signal,
  };
  const stallTimeoutMs = readStallTimeout(args);
  const isRepair = readToggle(args, 'repair');
  if (isRepair && checking.forget) {
    throw usageError(
      '--forget and --repair do not go together: what is missing is forgotten or brought again',
    );
  }
  return ({ emit, note }) =>
    withThreads(checking, async (threads) => {
      const { verify } = await import('../verify/run.js');
      const check = (repair?: Repair): Promise<RunSummary> => verify({ ...checking, threads, repair, emit });
      if (!isRepair) return check();
      const { createRepair } = await import('../verify/amend/repair.js');
      return withSession(args, host, { stallTimeoutMs, note }, ({ client }) =>
        withDestination(
          { ...settings, downloadDir: dir },
          { stallTimeoutMs, signal: host.signal },
          (destination) =>
            check(createRepair({ client, destination, options, threads: checking.jobs, emit })),
        ),
      );
    });
}

/** Has some threads start while the rest is loaded and the manifest is read; a quick look needs none. */
async function withThreads<T>(
  { quick, jobs }: { readonly quick: boolean; readonly jobs: number },
  work: (threads: readonly CheckThread[]) => Promise<T>,
): Promise<T> {
  const threads = Array.from({ length: quick ? 0 : Math.min(jobs, EARLY_THREADS) }, startCheckThread);
  try {
    return await work(threads);
  } finally {
    await Promise.all(threads.map((thread) => thread.close()));
  }
}

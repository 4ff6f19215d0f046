import { availableParallelism } from 'node:os';
import { usageError } from '../../base/errors.js';
import type { RunSummary } from '../../run/events.js';
import type { CheckThread } from '../../verify/check/threads.js';
import type { Repair } from '../../verify/types.js';
import { REPAIR_FLAGS, VERIFY_FLAGS } from '../arguments/flags.js';
import { readCount, readDuration, readPaths, readToggle } from '../../commands/arguments/read.js';
import type { Action } from '../arguments/types.js';
import { loadSettings } from '../../commands/config/file.js';
import { lockOwner } from '../../commands/lock-owner.js';
import { readDownloadOptions, readStallTimeout } from '../../commands/selection/selection.js';
import { readFolderPaths } from '../../commands/selection/verify-paths.js';
import { reportRun, withSession } from '../session.js';

/** Threads for any folder; more begin when it is known how many files there are. */
const EARLY_THREADS = 2;

export const verify: Action = {
  positionals: {
    path: { type: 'string', describe: 'files or folders to check (default: the download folder)' },
  },
  flags: { ...VERIFY_FLAGS, ...REPAIR_FLAGS },
  examples: [
    ['$0 verify', 'read every file of the download folder to its end'],
    ['$0 verify --quick', 'presence and size only'],
    ['$0 verify --repair --clean', 'download bad files again, and remove what killed runs left'],
    ['$0 verify --adopt /data', 'record files that came from elsewhere, or whose manifest was lost'],
  ],
  async run(args, cli) {
    const settings = await loadSettings(args, cli);
    const { dir, paths } = await readFolderPaths(readPaths(args, 'path'), settings.downloadDir);
    const options = readDownloadOptions(args, dir);
    const checking = {
      dir,
      paths,
      quick: readToggle(args, 'quick'),
      jobs: readCount(args, 'jobs', 1, 256) ?? availableParallelism(),
      adopt: readToggle(args, 'adopt'),
      clean: readToggle(args, 'clean'),
      forget: readToggle(args, 'forget'),
      strict: options.strict,
      owner: lockOwner(cli),
      lockTimeoutMs: readDuration(args, 'lock-timeout'),
      signal: cli.signal,
    };
    const stallTimeoutMs = readStallTimeout(args);
    const isRepair = readToggle(args, 'repair');
    if (isRepair && checking.forget) {
      throw usageError(
        '--forget and --repair do not go together: what is missing is forgotten or brought again',
      );
    }
    return withThreads(checking, (threads) =>
      reportRun(args, cli, async (reporter, emit) => {
        const { verify } = await import('../../verify/run.js');
        const check = (repair?: Repair): Promise<RunSummary> =>
          verify({ ...checking, threads, repair, emit });
        if (!isRepair) return check();
        const { createRepair } = await import('../../verify/amend/repair.js');
        return withSession(args, cli, { stallTimeoutMs, note: reporter.note }, ({ client }) =>
          check(createRepair({ client, options, threads: checking.jobs, emit })),
        );
      }),
    );
  },
};

/** Has some threads start while the rest is loaded and the manifest is read; a quick look needs none. */
async function withThreads<T>(
  { quick, jobs }: { readonly quick: boolean; readonly jobs: number },
  work: (threads: readonly CheckThread[]) => Promise<T>,
): Promise<T> {
  const { startCheckThread } = await import('../../verify/check/threads.js');
  const threads = Array.from({ length: quick ? 0 : Math.min(jobs, EARLY_THREADS) }, startCheckThread);
  try {
    return await work(threads);
  } finally {
    await Promise.all(threads.map((thread) => thread.close()));
  }
}

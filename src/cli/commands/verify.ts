import { availableParallelism } from 'node:os';
import { usageError } from '../../errors.js';
import type { RunSummary } from '../../events.js';
import type { Repair } from '../../verify/types.js';
import { loadSettings } from '../config/file.js';
import { REPAIR_FLAGS, VERIFY_FLAGS } from '../flags.js';
import { lockOwner } from '../lock-owner.js';
import { readCount, readDuration, readToggle } from '../read.js';
import { readDownloadOptions, readStallTimeout } from '../selection.js';
import { reportRun, withSession } from '../session.js';
import type { Action } from '../types.js';
import { readFolderPaths } from '../verify-paths.js';

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
    const { dir, paths } = await readFolderPaths(pathsOf(args['path']), settings.downloadDir);
    const timeoutMs = readDuration(args, 'lock-timeout');
    const jobs = readCount(args, 'jobs', 1, 256) ?? availableParallelism();
    const stallTimeoutMs = readStallTimeout(args);
    const options = readDownloadOptions(args, dir);
    if (readToggle(args, 'forget') && readToggle(args, 'repair')) {
      throw usageError(
        '--forget and --repair do not go together: what is missing is forgotten or brought again',
      );
    }
    const runModule = await import('../../verify/run.js');
    return reportRun(args, cli, async (reporter, emit) => {
      const check = (repair?: Repair): Promise<RunSummary> =>
        runModule.verify({
          dir,
          paths,
          quick: readToggle(args, 'quick'),
          jobs,
          adopt: readToggle(args, 'adopt'),
          clean: readToggle(args, 'clean'),
          forget: readToggle(args, 'forget'),
          strict: options.strict,
          repair,
          owner: lockOwner(cli),
          lock: {
            timeoutMs,
            onWait: (holder) => reporter.note(`waiting for another run to end: ${holder}`),
          },
          emit,
          signal: cli.signal,
        });
      if (!readToggle(args, 'repair')) return check();
      const { createRepair } = await import('../../verify/repair.js');
      return withSession(args, cli, { stallTimeoutMs, note: reporter.note }, ({ client }) =>
        check(createRepair({ client, options, threads: jobs, emit })),
      );
    });
  },
};

function pathsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((path) => path !== undefined).map(String) : [];
}

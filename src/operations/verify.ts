import { availableParallelism } from 'node:os';
import { pathExists } from '../base/disk-files.js';
import { usageError } from '../base/errors.js';
import type { RunSummary } from '../events/run-events.js';
import type { COMMAND_OPTIONS } from '../options/command-options.js';
import { FILTER_OPTIONS } from '../options/day-file-options.js';
import type { CommandValues } from '../options/read-options.js';
import { type Context, createLockOwner } from './context.js';
import { findCacheFolder } from './feeds/with-feed-read-context.js';
import { readFolderPaths } from './selection/read-folder-paths.js';
import { readDayFileSelection } from './selection/read-selection.js';

type VerifyValues = CommandValues<typeof COMMAND_OPTIONS.verify>;

/** `verify`: checks a download folder against its manifest and its checksums, or the slice cache. */
export async function runVerify(options: VerifyValues, context: Context): Promise<RunSummary> {
  if (options.cache) return verifyCache(options, context);
  assertCompatible(options);
  const { signal, emit } = context;
  const { shard, listed, adopt, clean, forget, strict, jobs = availableParallelism() } = options;
  const quick = options.quick || listed;
  const selection = await readDayFileSelection(options, context);
  const lockTimeoutMs = options.lockTimeoutMs;
  const owner = createLockOwner(context);
  const { dir, paths, names } = await readFolderPaths(options.paths ?? [], context);
  const destination = await context.destination(dir);
  const checks = { selection, quick, jobs, adopt, clean, forget, strict, owner, lockTimeoutMs };
  const { verifyDestination } = await import('../verify/verify-destination.js');
  const input = { ...checks, paths, names, destination, emit, signal };
  if (!options.repair) return verifyDestination(input);
  const { createRepair } = await import('../verify/repair.js');
  const client = await context.client();
  const { concurrency, retries, maxWaitMs, maxRate } = options;
  const transfer = { concurrency, retries, maxWaitMs, maxRate, existing: 'skip', failFast: false } as const;
  const repair = createRepair({
    ...{ client, destination, options: { ...transfer, shard, strict }, threads: jobs, emit },
  });
  return verifyDestination({ ...input, repair });
}

/** @throws usage error for flags that contradict each other. */
function assertCompatible({ given, repair, forget, listed, adopt }: VerifyValues): void {
  if (given.has('cache-dir')) throw usageError('--cache-dir requires --cache; add it');
  if (repair && forget) {
    throw usageError(
      '--forget and --repair: a missing file is either forgotten or downloaded again; use only one of them',
    );
  }
  const readingFlag = repair ? 'repair' : adopt ? 'adopt' : undefined;
  if (listed && readingFlag !== undefined) {
    throw usageError(`--${readingFlag} reads files, but --listed does not; use --quick instead of --listed`);
  }
}

/** Flags that apply to day files only. */
const DAY_FILE_FLAGS = [
  ...(['quick', 'listed', 'repair', 'adopt', 'forget', 'clean', 'strict'] as const),
  ...(Object.keys(FILTER_OPTIONS) as (keyof typeof FILTER_OPTIONS)[]),
];

/** `verify --cache`: reads each slice of raw data to its end. */
async function verifyCache(options: VerifyValues, context: Context): Promise<RunSummary> {
  const { given, paths, jobs = availableParallelism() } = options;
  const values: Readonly<Record<string, unknown>> = options;
  const invalidFlag = DAY_FILE_FLAGS.find((flag) => given.has(flag) && values[flag] !== false);
  if (invalidFlag !== undefined) {
    throw usageError(
      `--${invalidFlag} applies to day files only; omit it with --cache (a replay downloads damaged slices again)`,
    );
  }
  if (paths !== undefined) {
    throw usageError(
      `"${paths[0]}" is not a cache folder, and --cache checks no day files; set the cache folder with --cache-dir`,
    );
  }
  const settings = await context.settings();
  const folder = findCacheFolder(options.cacheDir, context, settings);
  // The default folder is created with its first slice, so only a named folder must exist.
  if (folder !== settings.cacheDir && !(await pathExists(folder))) {
    throw usageError(`${folder}: no such folder; set the cache folder with --cache-dir`);
  }
  const { checkSlices } = await import('../raw-feeds/slices/slice-files.js');
  return checkSlices({ folder, jobs, emit: context.emit, signal: context.signal });
}

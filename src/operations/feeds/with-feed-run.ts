import { assertLocalPath } from '../../options/option-types.js';
import { readOptions } from '../../options/read-options.js';
import { createFeedRun, type FeedRun, type FeedRunOptions } from '../../raw-feeds/feed-run.js';
import type { CommandArgs } from '../arguments/command-args.js';
import { readBooleanFlag, readPath, readSize } from '../arguments/read-arguments.js';
import type { CommandHost } from '../command-host.js';
import type { RunObserver } from '../command-run.js';
import { loadSettings } from '../config/load-config.js';
import { DOWNLOAD_READ, readDownloadOptions, readStallTimeout } from '../selection/read-selection.js';
import { withServiceSession } from '../service-session.js';
import { readPathVariable, requireFolder, type Settings } from '../settings.js';

/** Transfer and cache settings of a feed run, read from flags and validated. */
export interface FeedRunSettings {
  readonly settings: Settings;
  readonly stallTimeoutMs: number | undefined;
  /** Whether to clear the cache first. */
  readonly clearCache: boolean;
  readonly options: Omit<FeedRunOptions, 'client' | 'emit' | 'signal'>;
}

/** @throws usage error. */
export async function readFeedSettings(args: CommandArgs, host: CommandHost): Promise<FeedRunSettings> {
  const stallTimeoutMs = readStallTimeout(args);
  const settings = await loadSettings(args, host);
  const cacheFolder = findCacheFolder(readPath(args, 'cache-dir'), host, settings);
  const cacheLimit = readSize(args, 'cache-limit');
  const { concurrency, retries, maxWaitMs, maxRate } = readDownloadOptions(readOptions(DOWNLOAD_READ, args));
  const offline = readBooleanFlag(args, 'offline');
  const clearCache = readBooleanFlag(args, 'clear-cache');
  const options = { cacheFolder, cacheLimit, offline, concurrency, retries, maxWaitMs, maxRate };
  return { settings, stallTimeoutMs, clearCache, options };
}

/**
 * Runs `work` with a client of the raw data API, and trims the cache to its limit afterwards.
 * @param work also gets the folder with the stored copies of exchange records.
 */
export async function withFeedRun(
  args: CommandArgs,
  host: CommandHost,
  { settings, stallTimeoutMs, clearCache, options }: FeedRunSettings,
  { emit, note }: RunObserver,
  work: (run: FeedRun, recordFolder: string) => Promise<void>,
): Promise<void> {
  if (clearCache) {
    const { clearSlices } = await import('../../raw-feeds/cache/slice-cache.js');
    await clearSlices(options.cacheFolder);
  }
  await withServiceSession(args, host, { stallTimeoutMs, settings, note }, async ({ client }) => {
    const run = createFeedRun({ ...options, client, emit, signal: host.signal });
    await work(run, requireFolder(settings.cacheDir, 'XDG_CACHE_HOME')).finally(() => run.cache.trim());
  });
}

/**
 * The folder that contains `feeds`, the slice cache (docs/spec/raw-feeds-api.md#slice-cache).
 * @throws usage error for an address.
 */
export function findCacheFolder(
  given: string | undefined,
  { env, home }: Pick<CommandHost, 'env' | 'home'>,
  { cacheDir }: Settings,
): string {
  const variable = readPathVariable(env, 'TM_CACHE_DIR', home);
  const named = given ?? (variable && assertLocalPath('TM_CACHE_DIR', variable));
  return named ?? requireFolder(cacheDir, 'XDG_CACHE_HOME');
}

import { createFeedRun, type FeedRunOptions } from '../../feeds/create-feed-run.js';
import type { FeedRun } from '../../feeds/feed-run.js';
import type { CommandArgs } from '../arguments/command-args.js';
import { readBooleanFlag, readSize } from '../arguments/read-arguments.js';
import type { CommandHost } from '../command-host.js';
import type { RunObserver } from '../command-run.js';
import { loadSettings } from '../config/load-config.js';
import { readDownloadOptions, readStallTimeout } from '../selection/read-selection.js';
import { withServiceSession } from '../service-session.js';
import type { Settings } from '../settings.js';
import { readCacheFolder } from './read-cache-folder.js';

/** How slices come, and where they are kept: what flags say of it, read and found right. */
export interface FeedRunSettings {
  readonly settings: Settings;
  readonly stallTimeoutMs: number | undefined;
  /** Whether the cache is emptied first. */
  readonly clearCache: boolean;
  readonly options: Omit<FeedRunOptions, 'client' | 'emit' | 'signal'>;
}

/** @throws usage error. */
export async function readFeedSettings(args: CommandArgs, host: CommandHost): Promise<FeedRunSettings> {
  const stallTimeoutMs = readStallTimeout(args);
  const settings = await loadSettings(args, host);
  const cacheFolder = readCacheFolder(args, host, settings);
  const cacheLimit = readSize(args, 'cache-limit');
  const { concurrency, retries, maxWaitMs, maxRate } = readDownloadOptions(args);
  const offline = readBooleanFlag(args, 'offline');
  const clearCache = readBooleanFlag(args, 'clear-cache');
  const options = { cacheFolder, cacheLimit, offline, concurrency, retries, maxWaitMs, maxRate };
  return { settings, stallTimeoutMs, clearCache, options };
}

/**
 * Does some work with the raw data API, whose cache is within its limit when it is done.
 * @param work given the folder of the exchange records' stored copies too.
 */
export async function withFeedRun(
  args: CommandArgs,
  host: CommandHost,
  { settings, stallTimeoutMs, clearCache, options }: FeedRunSettings,
  { emit, note }: RunObserver,
  work: (run: FeedRun, records: string) => Promise<void>,
): Promise<void> {
  if (clearCache) {
    const { clearSlices } = await import('../../feeds/cache/slice-cache.js');
    await clearSlices(options.cacheFolder);
  }
  await withServiceSession(args, host, { stallTimeoutMs, settings, note }, async ({ client }) => {
    const run = createFeedRun({ ...options, client, emit, signal: host.signal });
    await work(run, settings.cacheDir).finally(() => run.cache.trim());
  });
}

import { createFeedRun, type FeedOptions } from '../../feeds/run.js';
import type { FeedRun } from '../../feeds/types.js';
import type { Args } from '../arguments/args.js';
import { readSize, readToggle } from '../arguments/read.js';
import { loadSettings } from '../config/file.js';
import type { Settings } from '../environment.js';
import type { Host } from '../host.js';
import type { Teller } from '../run.js';
import { readDownloadOptions, readStallTimeout } from '../selection/selection.js';
import { withSession } from '../session.js';
import { readCacheFolder } from './cache-folder.js';

/** How slices come, and where they are kept: what flags say of it, read and found right. */
export interface FeedSettings {
  readonly settings: Settings;
  readonly stallTimeoutMs: number | undefined;
  /** Whether the cache is emptied first. */
  readonly clearCache: boolean;
  readonly options: Omit<FeedOptions, 'client' | 'emit' | 'signal'>;
}

/** @throws usage error. */
export async function readFeedSettings(args: Args, host: Host): Promise<FeedSettings> {
  const stallTimeoutMs = readStallTimeout(args);
  const settings = await loadSettings(args, host);
  const cacheFolder = readCacheFolder(args, host, settings);
  const cacheLimit = readSize(args, 'cache-limit');
  const { concurrency, retries, maxWaitMs, maxRate } = readDownloadOptions(args);
  const offline = readToggle(args, 'offline');
  const clearCache = readToggle(args, 'clear-cache');
  const options = { cacheFolder, cacheLimit, offline, concurrency, retries, maxWaitMs, maxRate };
  return { settings, stallTimeoutMs, clearCache, options };
}

/**
 * Does some work with the raw data API, whose cache is within its limit when it is done.
 * @param work given the folder of the exchange records' stored copies too.
 */
export async function withFeedRun(
  args: Args,
  host: Host,
  { settings, stallTimeoutMs, clearCache, options }: FeedSettings,
  { emit, note }: Teller,
  work: (run: FeedRun, records: string) => Promise<void>,
): Promise<void> {
  if (clearCache) {
    const { clearSlices } = await import('../../feeds/cache/slice-cache.js');
    await clearSlices(options.cacheFolder);
  }
  await withSession(args, host, { stallTimeoutMs, settings, note }, async ({ client }) => {
    const run = createFeedRun({ ...options, client, emit, signal: host.signal });
    await work(run, settings.cacheDir).finally(() => run.cache.trim());
  });
}

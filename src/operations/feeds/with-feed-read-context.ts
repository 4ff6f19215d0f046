import type { MESSAGE_TRANSFER_OPTIONS, SLICE_OPTIONS } from '../../options/message-options.js';
import { assertLocalPath } from '../../options/option-types.js';
import type { ReadOptions } from '../../options/option-values.js';
import {
  createFeedReadContext,
  type FeedReadContext,
  type FeedReadOptions,
} from '../../raw-feeds/feed-read-context.js';
import type { CommandHost } from '../command-host.js';
import type { Context } from '../context.js';
import { readPathVariable, requireFolder, type Settings } from '../settings.js';

/** Options of slices and their transfer. */
type FeedValues = ReadOptions<typeof SLICE_OPTIONS & typeof MESSAGE_TRANSFER_OPTIONS>;

/** Settings of a feed run, apart from its client. */
export type FeedSettings = Omit<FeedReadOptions, 'client' | 'emit' | 'signal'>;

/** @throws usage error for an address of the cache folder. */
export function readFeedSettings(
  { cacheDir, cacheLimit, offline, concurrency, retries, maxWaitMs, maxRate }: Omit<FeedValues, 'given'>,
  host: Pick<CommandHost, 'env' | 'home'>,
  settings: Settings,
): FeedSettings {
  const cacheFolder = findCacheFolder(cacheDir, host, settings);
  return { cacheFolder, cacheLimit, offline, concurrency, retries, maxWaitMs, maxRate };
}

/**
 * Runs `work` with a client of the raw data API, and trims the cache to its limit afterwards.
 * @param work also gets the folder with the stored copies of exchange records.
 */
export async function withFeedReadContext(
  feed: FeedSettings,
  clearCache: boolean,
  context: Context,
  work: (run: FeedReadContext, recordFolder: string) => Promise<void>,
): Promise<void> {
  if (clearCache) {
    const { clearSlices } = await import('../../raw-feeds/slices/slice-cache.js');
    await clearSlices(feed.cacheFolder);
  }
  const client = await context.client();
  const { cacheDir } = await context.settings();
  const run = createFeedReadContext({ ...feed, client, emit: context.emit, signal: context.signal });
  await work(run, requireFolder(cacheDir, 'XDG_CACHE_HOME')).finally(() => run.cache.trim());
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

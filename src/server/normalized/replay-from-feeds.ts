import { minutesToUsRange, usRangeToMinutes } from '../../day-files/minute.js';
import { openFeedSources } from '../../replay/feeds/open-feed-sources.js';
import { replayFeeds } from '../../replay/feeds/replay-feeds.js';
import type { MergeOptions } from '../../replay/replay-series.js';
import { withClientBuffers } from '../client-memory.js';
import type { NormalizedOptions } from '../request/normalized-options.js';
import type { ServerContext } from '../server-context.js';

/** Replays from the raw data API; periods are truncated to minutes. */
export async function replayNormalizedFromFeeds(
  { options: { records }, run: shared, feedThreads: threads, pacer }: ServerContext,
  options: readonly NormalizedOptions[],
  target: Omit<MergeOptions, 'speed'>,
): Promise<void> {
  const sources = options
    .map((option) => ({ ...option, period: minutesToUsRange(usRangeToMinutes(option.period)) }))
    .filter(({ period }) => period.start < period.end);
  if (sources.length === 0) return;
  const run = { ...shared, signal: target.signal };
  const opened = await openFeedSources(run, sources, records);
  // Many replays may have waited for the same lookup.
  await pacer.waitForTurn();
  await withClientBuffers(run.texts, sources.length, (buffers) =>
    replayFeeds({ ...target, run: { ...run, ...buffers }, threads, sources: opened, onMinutes: () => {} }),
  );
  await run.cache.trim();
}

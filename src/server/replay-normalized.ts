import { minutesToUsRange, usRangeToMinutes } from '../day-files/day.js';
import { openFeedSources } from '../replay/normalized-feeds/open-feed-sources.js';
import { replayFeeds } from '../replay/normalized-feeds/replay-feeds.js';
import { type OpenedReplay, openReplay } from '../replay/open-replay.js';
import type { Arrival } from '../replay/replay-request.js';
import { type MergeOptions, mergeLines } from '../replay/replay-series.js';
import { openSeriesInputs } from '../replay/series-inputs.js';
import { withClientBuffers } from './client-limits.js';
import type { NormalizedOptions } from './request-options.js';
import type { ServerContext } from './server-context.js';

/**
 * Writes the normalized messages of several options, merged by local timestamp; ties go to the earlier option.
 * @throws TickhaulError before the first line if the data are not available; later as `mergeLines`.
 */
export async function replayNormalized(
  context: ServerContext,
  options: readonly NormalizedOptions[],
  target: Omit<MergeOptions, 'speed'>,
): Promise<void> {
  const nonEmpty = options.filter(({ period }) => period.start < period.end);
  if (nonEmpty.length === 0) return;
  const replay =
    context.options.source === 'datasets' ? replayNormalizedFromDayFiles : replayNormalizedFromFeeds;
  await replay(context, nonEmpty, { ...target, output: context.pacer.pace(target.output) });
}

/** Replays from the raw data API; periods are truncated to minutes. */
async function replayNormalizedFromFeeds(
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

const NO_DISCONNECTS = 'withDisconnectMessages: day files do not record disconnects; none are sent';

/** Replays day files. Missing ones are downloaded day by day, ahead of the response. */
async function replayNormalizedFromDayFiles(
  context: ServerContext,
  options: readonly NormalizedOptions[],
  target: Omit<MergeOptions, 'speed'>,
): Promise<void> {
  const { signal } = target;
  if (options.some(({ withDisconnects }) => withDisconnects)) context.warnOnce(NO_DISCONNECTS);
  const opened: OpenedReplay[] = [];
  try {
    for (const option of options) opened.push(await openOption(context, option, signal));
    const series = opened.flatMap((one) => one.series);
    const input = { series, arrival: combineArrivals(opened), warn: context.warnOnce };
    await withClientBuffers(context.run.texts, series.length, async ({ textBytes, writeBytes }) => {
      const inputs = await openSeriesInputs({ ...input, textBytes }, context.seriesThreads, signal);
      await mergeLines(inputs, { ...target, writeBytes });
    });
  } finally {
    await Promise.all(opened.map(({ close }) => close()));
  }
}

function openOption(
  { options: { destination, dayFiles, feeds, records }, emit, transfers }: ServerContext,
  { exchange, symbols, types, period }: NormalizedOptions,
  signal: AbortSignal,
): Promise<OpenedReplay> {
  return openReplay({
    request: { options: [{ exchange, symbols }], types, period },
    client: feeds.client,
    cache: records,
    destination,
    options: dayFiles.options,
    layout: dayFiles.layout,
    offline: feeds.offline,
    owner: dayFiles.owner(),
    transfers,
    emit,
    onDownloaded: () => {},
    signal,
  });
}

/** Several may wait for the same file. */
function combineArrivals(opened: readonly OpenedReplay[]): Arrival {
  return async (path) => {
    const there = await Promise.all(opened.map(({ arrival }) => arrival(path)));
    return there.every((isThere) => isThere);
  };
}

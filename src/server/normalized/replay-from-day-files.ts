import { type OpenedReplay, openReplay } from '../../replay/open-replay.js';
import type { Arrival } from '../../replay/replay-request.js';
import { type MergeOptions, mergeLines } from '../../replay/replay-series.js';
import { openSeriesInputs } from '../../replay/series-inputs.js';
import { withClientBuffers } from '../client-memory.js';
import type { NormalizedOptions } from '../request/normalized-options.js';
import type { ServerContext } from '../server-context.js';

const NO_DISCONNECTS = 'withDisconnectMessages: day files do not record disconnects; none are sent';

/** Replays day files. Missing ones are downloaded day by day, ahead of the response. */
export async function replayNormalizedFromDayFiles(
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

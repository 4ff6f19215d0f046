import { TickhaulError, usageError } from '../base/errors.js';
import type { Period } from '../market/trade-bars.js';
import type { COMMAND_OPTIONS } from '../options/command-options.js';
import type { CommandValues } from '../options/read-options.js';
import type { OpenedReplay } from '../replay/open-replay.js';
import { type Context, createLockOwner } from './context.js';
import { type ReplayOutput, withMessageOutput } from './message-output.js';
import {
  assertFlagsMatchSource,
  readReplayRequest,
  resolvePeriods,
  toSpeed,
} from './selection/read-replay-request.js';
import { completeDownloadOptions } from './selection/read-selection.js';
import { openVerdictFilter } from './selection/verdict-filter.js';
import { requireFolder } from './settings.js';

/** `replay`: writes the messages of a period. @throws usage error before the first request. */
export async function runReplay(
  options: CommandValues<typeof COMMAND_OPTIONS.replay>,
  context: Context,
  observer: ReplayOutput,
): Promise<void> {
  if (options.channels !== undefined) {
    const { replayChannels } = await import('./feeds/replay-from-feeds.js');
    return replayChannels(options, context, observer);
  }
  if (options.source === 'feeds') {
    const { replayNormalizedFeeds } = await import('./feeds/replay-from-feeds.js');
    return replayNormalizedFeeds(options, context, observer);
  }
  if (options.withDisconnects) {
    throw usageError(
      '--with-disconnects: day files do not record disconnects; omit it, or use --source feeds',
    );
  }
  const { signal, emit } = context;
  const request = await readReplayRequest(options, signal);
  assertFlagsMatchSource(options, 'datasets');
  const speed = toSpeed(options);
  const withOutput = await withMessageOutput(options, context, request.types);
  const { layout, offline } = options;
  const { onDownloaded, output, written } = observer;
  const { openReplay } = await import('../replay/open-replay.js');
  const { replaySeries } = await import('../replay/replay-series.js');
  await withOutput(output, async (lines) => {
    const client = await context.client();
    const destination = await context.destination();
    const cache = requireFolder((await context.settings()).cacheDir, 'XDG_CACHE_HOME');
    const metadataOptions = { cache, offline, signal };
    const periods = await resolvePeriods(request.period, request.options, client, metadataOptions);
    const store = destination.settings;
    const warn = (message: string): void => emit({ event: 'warning', message });
    const exclusion = await openVerdictFilter(options, context, store);
    const unavailable: TickhaulError[] = [];
    const replayPeriod = async (period: Period): Promise<void> => {
      const { series, arrival, close } = await openReplay({
        request: { ...request, period },
        client,
        cache,
        destination,
        options: completeDownloadOptions(options),
        layout,
        offline,
        exclusion,
        requiresDays: true,
        owner: createLockOwner(context),
        emit,
        onDownloaded,
        signal,
      }).catch((error: unknown) => {
        if (!(error instanceof TickhaulError) || error.code !== 'unavailable') throw error;
        if (periods.length > 1) warn(error.message);
        unavailable.push(error);
        return NOTHING;
      });
      try {
        await replaySeries({ series, arrival, warn, speed, written, store, signal, output: lines });
      } finally {
        await close();
      }
    };
    for (const period of periods) await replayPeriod(period);
    if (unavailable[0] && unavailable.length === periods.length) throw unavailable[0];
  });
}

/** A period of which no day is available: others may have some. */
const NOTHING: OpenedReplay = { series: [], arrival: async () => false, close: async () => {} };

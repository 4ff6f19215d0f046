import { usageError } from '../base/errors.js';
import type { COMMAND_OPTIONS } from '../options/command-options.js';
import type { CommandValues } from '../options/read-options.js';
import type { Context } from './context.js';
import { createLockOwner } from './create-lock-owner.js';
import { type ReplayOutput, withMessageOutput } from './message-output.js';
import {
  assertFlagsMatchSource,
  readReplayRequest,
  resolvePeriod,
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
    const { replayChannels } = await import('./feeds/replay-channels.js');
    return replayChannels(options, context, observer);
  }
  if (options.source === 'feeds') {
    const { replayNormalizedFeeds } = await import('./feeds/replay-normalized-feeds.js');
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
    const period = await resolvePeriod(request.period, request.options, client, metadataOptions);
    const { series, arrival, close } = await openReplay({
      request: { ...request, period },
      client,
      cache,
      destination,
      options: completeDownloadOptions(options),
      layout,
      offline,
      exclusion: await openVerdictFilter(options, context, destination.settings),
      requiresDays: true,
      owner: createLockOwner(context),
      emit,
      onDownloaded,
      signal,
    });
    try {
      const store = destination.settings;
      const warn = (message: string): void => emit({ event: 'warning', message });
      await replaySeries({ series, arrival, warn, speed, written, store, signal, output: lines });
    } finally {
      await close();
    }
  });
}

import { usageError } from '../base/errors.js';
import { LAYOUT_OPTIONS } from '../options/day-file-options.js';
import { readOptions } from '../options/read-options.js';
import type { CommandArgs } from './arguments/command-args.js';
import { readBooleanFlag, readTextFlag } from './arguments/read-arguments.js';
import type { CommandHost } from './command-host.js';
import { createLockOwner } from './create-lock-owner.js';
import { withMessageOutput } from './message-output.js';
import type { ReplayRun } from './replay-run.js';
import {
  assertFlagsMatchSource,
  readReplayRequest,
  readSpeedFlag,
  resolvePeriod,
} from './selection/read-replay-request.js';
import { DOWNLOAD_READ, readDownloadOptions, readStallTimeout } from './selection/read-selection.js';
import { withServiceSession } from './service-session.js';
import { requireFolder } from './settings.js';
import { withDestination } from './with-destination.js';

/** Prepares `replay` of a period. @throws usage error. */
export async function prepareReplay(args: CommandArgs, host: CommandHost): Promise<ReplayRun> {
  if (args['channel'] !== undefined) {
    const { prepareChannelReplay } = await import('./feeds/prepare-channel-replay.js');
    return prepareChannelReplay(args, host);
  }
  if (readTextFlag(args, 'source') === 'feeds') {
    const { prepareFeedReplay } = await import('./feeds/prepare-feed-replay.js');
    return prepareFeedReplay(args, host);
  }
  if (readBooleanFlag(args, 'with-disconnects')) {
    throw usageError(
      '--with-disconnects: day files do not record disconnects; omit it, or use --source feeds',
    );
  }
  const { signal } = host;
  const request = await readReplayRequest(args, signal);
  assertFlagsMatchSource(args, 'datasets');
  const speed = readSpeedFlag(args);
  const withOutput = await withMessageOutput(args, host, request.types);
  const stallTimeoutMs = readStallTimeout(args);
  const { layout } = readOptions(LAYOUT_OPTIONS, args);
  return async ({ emit, note, onDownloaded, output, written }) => {
    const { openReplay } = await import('../replay/open-replay.js');
    const { replaySeries } = await import('../replay/replay-series.js');
    await withOutput(output, (lines) =>
      withServiceSession(args, host, { stallTimeoutMs, note }, ({ client, settings }) =>
        withDestination(settings, { stallTimeoutMs, signal }, async (destination) => {
          const cache = requireFolder(settings.cacheDir, 'XDG_CACHE_HOME');
          const offline = readBooleanFlag(args, 'offline');
          const metadataOptions = { cache, offline, signal };
          const period = await resolvePeriod(request.period, request.options, client, metadataOptions);
          const { series, arrival, close } = await openReplay({
            request: { ...request, period },
            client,
            cache,
            destination,
            options: readDownloadOptions(readOptions(DOWNLOAD_READ, args)),
            layout,
            offline,
            requiresDays: true,
            owner: createLockOwner(host),
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
        }),
      ),
    );
  };
}

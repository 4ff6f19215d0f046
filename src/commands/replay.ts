import { usageError } from '../base/errors.js';
import type { Args } from './arguments/args.js';
import { readText, readToggle } from './arguments/read.js';
import { withDestination } from './destination.js';
import type { Host } from './host.js';
import { lockOwner } from './lock-owner.js';
import { readOutput } from './message-output.js';
import type { ReplayRun } from './replay-run.js';
import { readReplayRequest, readSpeed, refuseOthersFlags, resolvePeriod } from './selection/replay.js';
import { readDownloadOptions, readLayout, readStallTimeout } from './selection/selection.js';
import { withSession } from './session.js';

/** The messages of a period (contract, Replay). @throws usage error. */
export async function prepareReplay(args: Args, host: Host): Promise<ReplayRun> {
  if (args['channel'] !== undefined) {
    const { prepareChannels } = await import('./feeds/replay-channels.js');
    return prepareChannels(args, host);
  }
  if (readText(args, 'source') === 'feeds') {
    const { prepareFeedTypes } = await import('./feeds/replay-types.js');
    return prepareFeedTypes(args, host);
  }
  if (readToggle(args, 'with-disconnects')) {
    throw usageError(
      "--with-disconnects: day files don't know when a connection broke; leave it out, or use --source feeds",
    );
  }
  const { signal } = host;
  const request = await readReplayRequest(args, signal);
  refuseOthersFlags(args, 'datasets');
  const speed = readSpeed(args);
  const withOutput = await readOutput(args, host);
  const stallTimeoutMs = readStallTimeout(args);
  const layout = readLayout(args);
  return async ({ emit, note, onDownloaded, output, written }) => {
    const { openReplay } = await import('../replay/open.js');
    const { replay } = await import('../replay/replay.js');
    await withOutput(output, (lines) =>
      withSession(args, host, { stallTimeoutMs, note }, ({ client, settings }) =>
        withDestination(settings, { stallTimeoutMs, signal }, async (destination) => {
          const cache = settings.cacheDir;
          const offline = readToggle(args, 'offline');
          const asking = { cache, offline, signal };
          const period = await resolvePeriod(request.period, request.options, client, asking);
          const { series, arrival, close } = await openReplay({
            request: { ...request, period },
            client,
            cache,
            destination,
            options: readDownloadOptions(args),
            layout,
            offline,
            owner: lockOwner(host),
            emit,
            onDownloaded,
            signal,
          });
          try {
            const store = destination.settings;
            const warn = (message: string): void => emit({ event: 'warning', message });
            await replay({ series, arrival, warn, speed, written, store, signal, output: lines });
          } finally {
            await close();
          }
        }),
      ),
    );
  };
}

import { minutesOf } from '../../dataset/minutes.js';
import type { Args } from '../arguments/args.js';
import { readToggle } from '../arguments/read.js';
import type { Host } from '../host.js';
import { readOutput } from '../message-output.js';
import type { ReplayRun } from '../replay-run.js';
import {
  readReplayRequest,
  readSpeed,
  refuseOthersFlags,
  resolvePeriod,
  wholeMinutes,
} from '../selection/replay.js';
import { readFeedSettings, withFeedRun } from './feed-run.js';

/** `replay --type … --source feeds`: normalized messages (contract, Replay). @throws usage error. */
export async function prepareFeedTypes(args: Args, host: Host): Promise<ReplayRun> {
  const { signal } = host;
  const { options, types, period: asked } = await readReplayRequest(args, signal);
  const days = wholeMinutes(asked);
  refuseOthersFlags(args, 'feeds');
  const speed = readSpeed(args);
  const withOutput = await readOutput(args, host);
  const withDisconnects = readToggle(args, 'with-disconnects');
  const settings = await readFeedSettings(args, host);
  return async (teller) => {
    const { emit, output, written, onMinutes } = teller;
    await withOutput(output, (lines) =>
      withFeedRun(args, host, settings, teller, async (run, records) => {
        const { openFeedSources } = await import('../../replay/feeds/open-feed-sources.js');
        const { replayFeeds } = await import('../../replay/feeds/replay-feeds.js');
        const asking = { cache: records, offline: run.offline, signal };
        const period = await resolvePeriod(days, options, run.client, asking);
        const wanted = options.map(({ exchange, symbols }) => ({
          exchange,
          symbols: symbols?.includes('all') ? undefined : symbols,
          types,
          period,
          withDisconnects,
        }));
        const sources = await openFeedSources(run, wanted, records);
        const { start, end } = minutesOf(period);
        await replayFeeds({
          ...{ run, sources, speed, output: lines, written, signal },
          // Each source goes through the whole period.
          onMinutes: (more: number) => onMinutes?.(more / sources.length, end - start),
        });
      }),
    );
    if (written.bytes === 0) emit({ event: 'warning', message: 'no message of the period matches' });
  };
}

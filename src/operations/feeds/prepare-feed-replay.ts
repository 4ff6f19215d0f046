import { usRangeToMinutes } from '../../day-files/minute.js';
import type { CommandArgs } from '../arguments/command-args.js';
import { readBooleanFlag } from '../arguments/read-arguments.js';
import type { CommandHost } from '../command-host.js';
import { withMessageOutput } from '../message-output.js';
import type { ReplayRun } from '../replay-run.js';
import {
  assertFlagsMatchSource,
  readReplayRequest,
  readSpeedFlag,
  resolvePeriod,
  toWholeMinutes,
} from '../selection/read-replay-request.js';
import { readFeedSettings, withFeedRun } from './with-feed-run.js';

/** Prepares `replay --type … --source feeds`, normalized messages of raw feeds. @throws usage error. */
export async function prepareFeedReplay(args: CommandArgs, host: CommandHost): Promise<ReplayRun> {
  const { signal } = host;
  const { options, types, period: requestedPeriod } = await readReplayRequest(args, signal);
  const wholeMinutes = toWholeMinutes(requestedPeriod);
  assertFlagsMatchSource(args, 'feeds');
  const speed = readSpeedFlag(args);
  const withOutput = await withMessageOutput(args, host, types);
  const withDisconnects = readBooleanFlag(args, 'with-disconnects');
  const settings = await readFeedSettings(args, host);
  return async (observer) => {
    const { emit, output, written, onMinutes } = observer;
    await withOutput(output, (lines) =>
      withFeedRun(args, host, settings, observer, async (run, records) => {
        const { openFeedSources } = await import('../../replay/feeds/open-feed-sources.js');
        const { replayFeeds } = await import('../../replay/feeds/replay-feeds.js');
        const metadataOptions = { cache: records, offline: run.offline, signal };
        const period = await resolvePeriod(wholeMinutes, options, run.client, metadataOptions);
        const requests = options.map(({ exchange, symbols }) => ({
          exchange,
          symbols: symbols?.includes('all') ? undefined : symbols,
          types,
          period,
          withDisconnects,
        }));
        const sources = await openFeedSources(run, requests, records);
        const { start, end } = usRangeToMinutes(period);
        await replayFeeds({
          ...{ run, sources, speed, output: lines, written, signal },
          // Each source covers the whole period.
          onMinutes: (minutes: number) => onMinutes?.(minutes / sources.length, end - start),
        });
      }),
    );
    if (written.bytes === 0) emit({ event: 'warning', message: 'no message of the period matches' });
  };
}

import { usRangeToMinutes } from '../../day-files/minute.js';
import { openFeed } from '../../raw-feeds/open-feed.js';
import { replayRaw } from '../../replay/raw/replay-raw.js';
import type { CommandArgs } from '../arguments/command-args.js';
import { readBooleanFlag } from '../arguments/read-arguments.js';
import type { CommandHost } from '../command-host.js';
import { withMessageOutput } from '../message-output.js';
import type { ReplayRun } from '../replay-run.js';
import { assertFlagsMatchSource, readSpeedFlag, resolvePeriod } from '../selection/read-replay-request.js';
import { readFeedRequest } from './read-feed-request.js';
import { readFeedSettings, withFeedRun } from './with-feed-run.js';

/** Prepares `replay --channel`, the exchange's native messages. @throws usage error. */
export async function prepareChannelReplay(args: CommandArgs, host: CommandHost): Promise<ReplayRun> {
  const { signal } = host;
  const { exchange, filters, period: requestedPeriod } = await readFeedRequest(args, signal);
  assertFlagsMatchSource(args, 'feeds');
  const speed = readSpeedFlag(args);
  const withOutput = await withMessageOutput(args, host);
  const withDisconnects = readBooleanFlag(args, 'with-disconnects');
  const settings = await readFeedSettings(args, host);
  return async (observer) => {
    const { emit, output, written, onMinutes } = observer;
    await withOutput(output, (lines) =>
      withFeedRun(args, host, settings, observer, async (run, records) => {
        const metadataOptions = { cache: records, offline: run.offline, signal };
        const range = usRangeToMinutes(
          await resolvePeriod(requestedPeriod, [{ exchange }], run.client, metadataOptions),
        );
        const feed = await openFeed(run, { exchange, filters, range }, records);
        await replayRaw({
          ...{ run, feed, withDisconnects, speed, output: lines, written, signal },
          // Each part of a feed covers the whole period.
          onMinutes: (minutes: number) => onMinutes?.(minutes / feed.parts.length, range.end - range.start),
        });
      }),
    );
    if (written.bytes === 0) emit({ event: 'warning', message: 'no message of the period matches' });
  };
}

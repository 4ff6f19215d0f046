import { minutesOf } from '../../dataset/minutes.js';
import { openFeed } from '../../feeds/open.js';
import { replayRaw } from '../../replay/raw/replay-raw.js';
import type { Args } from '../arguments/args.js';
import { readToggle } from '../arguments/read.js';
import type { Host } from '../host.js';
import { readOutput } from '../message-output.js';
import type { ReplayRun } from '../replay-run.js';
import { readSpeed, refuseOthersFlags, resolvePeriod } from '../selection/replay.js';
import { readFeedSettings, withFeedRun } from './feed-run.js';
import { readFeedRequest } from './read-channels.js';

/** `replay --channel`: an exchange's own messages (contract, Replay). @throws usage error. */
export async function prepareChannels(args: Args, host: Host): Promise<ReplayRun> {
  const { signal } = host;
  const { exchange, filters, period: asked } = await readFeedRequest(args, signal);
  refuseOthersFlags(args, 'feeds');
  const speed = readSpeed(args);
  const withOutput = await readOutput(args, host);
  const withDisconnects = readToggle(args, 'with-disconnects');
  const settings = await readFeedSettings(args, host);
  return async (teller) => {
    const { emit, output, written, onMinutes } = teller;
    await withOutput(output, (lines) =>
      withFeedRun(args, host, settings, teller, async (run, records) => {
        const asking = { cache: records, offline: run.offline, signal };
        const range = minutesOf(await resolvePeriod(asked, [{ exchange }], run.client, asking));
        const feed = await openFeed(run, { exchange, filters, range }, records);
        await replayRaw({
          ...{ run, feed, withDisconnects, speed, output: lines, written, signal },
          // Each part of a feed goes through the whole period.
          onMinutes: (more: number) => onMinutes?.(more / feed.parts.length, range.end - range.start),
        });
      }),
    );
    if (written.bytes === 0) emit({ event: 'warning', message: 'no message of the period matches' });
  };
}

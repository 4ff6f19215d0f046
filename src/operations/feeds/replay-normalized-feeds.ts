import { usRangeToMinutes } from '../../day-files/day.js';
import type { Context } from '../context.js';
import { type ReplayOutput, withMessageOutput } from '../message-output.js';
import {
  assertFlagsMatchSource,
  type ReplayValues,
  readReplayRequest,
  resolvePeriods,
  toSpeed,
  toWholeMinutes,
} from '../selection/read-replay-request.js';
import { readFeedSettings, withFeedReadContext } from './with-feed-read-context.js';

/** Runs `replay --type … --source feeds`, normalized messages of raw feeds. @throws usage error. */
export async function replayNormalizedFeeds(
  values: ReplayValues,
  context: Context,
  { output, written, onMinutes }: ReplayOutput,
): Promise<void> {
  const { signal, emit } = context;
  const { options, types, period: requestedPeriod } = await readReplayRequest(values, signal);
  const wholeMinutes = toWholeMinutes(requestedPeriod);
  assertFlagsMatchSource(values, 'feeds');
  const speed = toSpeed(values);
  const withOutput = await withMessageOutput(values, context, types);
  const { withDisconnects } = values;
  const settings = readFeedSettings(values, context, await context.settings());
  await withOutput(output, (lines) =>
    withFeedReadContext(settings, values.clearCache, context, async (run, records) => {
      const { openFeedSources } = await import('../../replay/normalized-feeds/open-feed-sources.js');
      const { replayFeeds } = await import('../../replay/normalized-feeds/replay-feeds.js');
      const metadataOptions = { cache: records, offline: run.offline, signal };
      const periods = await resolvePeriods(wholeMinutes, options, run.client, metadataOptions);
      const allMinutes = periods.map(usRangeToMinutes).reduce((sum, { start, end }) => sum + end - start, 0);
      for (const period of periods) {
        const requests = options.map(({ exchange, symbols }) => ({
          exchange,
          symbols: symbols?.includes('all') ? undefined : symbols,
          types,
          period,
          withDisconnects,
        }));
        const sources = await openFeedSources(run, requests, records);
        await replayFeeds({
          ...{ run, sources, speed, output: lines, written, signal },
          // Each source covers the whole period.
          onMinutes: (minutes: number) => onMinutes?.(minutes / sources.length, allMinutes),
        });
      }
    }),
  );
  if (written.bytes === 0) emit({ event: 'warning', message: 'no message of the period matches' });
}

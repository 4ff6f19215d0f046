import { usageError } from '../../base/errors.js';
import { usRangeToMinutes } from '../../day-files/day.js';
import type { FeedRequest } from '../../raw-feeds/feed-read-context.js';
import { openFeed } from '../../raw-feeds/open-feed.js';
import { replayRaw } from '../../replay/replay-raw.js';
import type { RequestedDays } from '../../replay/replay-request.js';
import type { FeedFilter } from '../../service/feed-filter.js';
import type { Context } from '../context.js';
import { type ReplayOutput, withMessageOutput } from '../message-output.js';
import {
  assertFlagsMatchSource,
  type ReplayValues,
  readPeriod,
  readReplayOptions,
  resolvePeriods,
  toSpeed,
  toWholeMinutes,
} from '../selection/read-replay-request.js';
import { expandSymbolLists } from '../selection/read-selection.js';
import { readFeedSettings, withFeedReadContext } from './with-feed-read-context.js';

/** Runs `replay --channel`, the exchange's native messages. @throws usage error. */
export async function replayChannels(
  values: ReplayValues,
  context: Context,
  { output, written, onMinutes }: ReplayOutput,
): Promise<void> {
  const { signal, emit } = context;
  const { exchange, filters, period: requestedPeriod } = await readFeedRequest(values, signal);
  assertFlagsMatchSource(values, 'feeds');
  const speed = toSpeed(values);
  const withOutput = await withMessageOutput(values, context);
  const { withDisconnects } = values;
  const settings = readFeedSettings(values, context, await context.settings());
  await withOutput(output, (lines) =>
    withFeedReadContext(settings, values.clearCache, context, async (run, records) => {
      const metadataOptions = { cache: records, offline: run.offline, signal };
      const periods = await resolvePeriods(requestedPeriod, [{ exchange }], run.client, metadataOptions);
      const ranges = periods.map(usRangeToMinutes);
      const allMinutes = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
      for (const range of ranges) {
        const feed = await openFeed(run, { exchange, filters, range }, records);
        await replayRaw({
          ...{ run, feed, withDisconnects, speed, output: lines, written, signal },
          // Each part of a feed covers the whole period.
          onMinutes: (minutes: number) => onMinutes?.(minutes / feed.parts.length, allMinutes),
        });
      }
    }),
  );
  if (written.bytes === 0) emit({ event: 'warning', message: 'no message of the period matches' });
}

/** Request for the raw data of one exchange; its period may depend on the exported days. */
export interface AskedFeed extends Omit<FeedRequest, 'range'> {
  readonly period: RequestedDays;
}

/** Reads the request of `replay --channel`. @throws usage error; `not_exported` for an end in the future. */
async function readFeedRequest(options: ReplayValues, signal: AbortSignal): Promise<AskedFeed> {
  if (options.types !== undefined) {
    throw usageError('--channel selects native messages, and --type normalized ones; use only one of them');
  }
  if (options.source === 'datasets') {
    throw usageError('--source datasets: day files have no channels; omit it, or use --type');
  }
  const [option, ...others] = await readReplayOptions(options, signal);
  if (!option || others.length > 0) {
    throw usageError(
      '--channel: native messages of several exchanges have no common format; specify one exchange',
    );
  }
  const period = toWholeMinutes(await readPeriod(options, signal));
  return {
    exchange: option.exchange,
    filters: readFilters(options.channels, option.symbols && expandSymbolLists(option.symbols)),
    period,
  };
}

function readFilters(
  channels: readonly string[] = [],
  givenSymbols: readonly string[] | undefined,
): readonly FeedFilter[] {
  const symbols = givenSymbols?.includes('all') ? undefined : givenSymbols;
  if (!channels.includes('all')) return channels.map((channel) => ({ channel, ...(symbols && { symbols }) }));
  if (symbols) throw usageError('--channel all: it includes all symbols; list channels to select symbols');
  return [];
}

import { usageError } from '../../base/errors.js';
import { usRangeToMinutes } from '../../day-files/day.js';
import type { NormalizedType } from '../../market/message-type-name.js';
import type { Period } from '../../market/trade-bars.js';
import type { FeedReadContext, FeedRequest } from '../../raw-feeds/feed-read-context.js';
import type { ReplayOption, RequestedDays } from '../../replay/replay-request.js';
import type { FeedFilter } from '../../service/feed-filter.js';
import type { Context } from '../context.js';
import { type ReplayOutput, withMessageOutput } from '../message-output.js';
import {
  assertFlagsMatchSource,
  type ReplayValues,
  readPeriod,
  readReplayOptions,
  readReplayRequest,
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
  observer: ReplayOutput,
): Promise<void> {
  const { exchange, filters, period: days } = await readFeedRequest(values, context.signal);
  const request = { exchanges: [{ exchange }], days };
  await replayPeriods(request, values, context, observer, async ({ run, records, period, ...output }) => {
    const { openFeed } = await import('../../raw-feeds/open-feed.js');
    const { replayRaw } = await import('../../replay/replay-raw.js');
    const feed = await openFeed(run, { exchange, filters, range: usRangeToMinutes(period) }, records);
    await replayRaw({
      ...{ ...output, run, feed, withDisconnects: values.withDisconnects },
      // Each part of a feed covers the whole period.
      onMinutes: (minutes) => output.onMinutes(minutes / feed.parts.length),
    });
  });
}

/** Runs `replay --type … --source feeds`, normalized messages of raw feeds. @throws usage error. */
export async function replayNormalizedFeeds(
  values: ReplayValues,
  context: Context,
  observer: ReplayOutput,
): Promise<void> {
  const { options, types, period: requestedPeriod } = await readReplayRequest(values, context.signal);
  const request = { exchanges: options, days: toWholeMinutes(requestedPeriod), types };
  await replayPeriods(request, values, context, observer, async ({ run, records, period, ...output }) => {
    const { openFeedSources } = await import('../../replay/normalized-feeds/open-feed-sources.js');
    const { replayFeeds } = await import('../../replay/normalized-feeds/replay-feeds.js');
    const { withDisconnects } = values;
    const requests = options.map(({ exchange, symbols }) => ({
      exchange,
      symbols: symbols?.includes('all') ? undefined : symbols,
      types,
      period,
      withDisconnects,
    }));
    const sources = await openFeedSources(run, requests, records);
    await replayFeeds({
      ...{ ...output, run, sources },
      // Each source covers the whole period.
      onMinutes: (minutes) => output.onMinutes(minutes / sources.length),
    });
  });
}

/** One period of a replay, and where its messages go. */
interface PeriodReplay extends Pick<ReplayOutput, 'output' | 'written'> {
  readonly run: FeedReadContext;
  /** Folder with the stored copies of exchange records. */
  readonly records: string;
  readonly period: Period;
  readonly speed: number | undefined;
  readonly signal: AbortSignal;
  readonly onMinutes: (minutes: number) => void;
}

/** Replays each period of a request from slices of raw data, into one output. @param types undefined for native messages. */
async function replayPeriods(
  {
    exchanges,
    days,
    types,
  }: {
    readonly exchanges: readonly Pick<ReplayOption, 'exchange'>[];
    readonly days: RequestedDays;
    readonly types?: readonly NormalizedType[];
  },
  values: ReplayValues,
  context: Context,
  { output, written, onMinutes }: ReplayOutput,
  replayPeriod: (input: PeriodReplay) => Promise<void>,
): Promise<void> {
  const { signal, emit } = context;
  assertFlagsMatchSource(values, 'feeds');
  const speed = toSpeed(values);
  const withOutput = await withMessageOutput(values, context, types);
  const settings = readFeedSettings(values, context, await context.settings());
  await withOutput(output, (lines) =>
    withFeedReadContext(settings, values.clearCache, context, async (run, records) => {
      const metadataOptions = { cache: records, offline: run.offline, signal };
      const periods = await resolvePeriods(days, exchanges, run.client, metadataOptions);
      const allMinutes = periods.map(usRangeToMinutes).reduce((sum, { start, end }) => sum + end - start, 0);
      for (const period of periods) {
        await replayPeriod({
          ...{ run, records, period, speed, output: lines, written, signal },
          onMinutes: (minutes) => onMinutes?.(minutes, allMinutes),
        });
      }
    }),
  );
  if (written.bytes === 0) emit({ event: 'warning', message: 'no message of the period matches' });
}

/** Reads the request of `replay --channel`. @throws usage error; `not_exported` for an end in the future. */
async function readFeedRequest(
  options: ReplayValues,
  signal: AbortSignal,
): Promise<Omit<FeedRequest, 'range'> & { readonly period: RequestedDays }> {
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

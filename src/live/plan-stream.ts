import { TickhaulError, usageError } from '../base/errors.js';
import { nearestNames } from '../base/text.js';
import { type FeedPlan, planFeed } from '../exchange-adapters/feed-plan.js';
import {
  type FeedOpener,
  maxStreamsPerConnection,
  planLiveFeeds,
  supportsWholeChannels,
} from '../exchange-adapters/live-feeds/plan-live-feeds.js';
import { hasOwnNormalizers } from '../exchange-adapters/own/normalizer-eras.js';
import type { FeedFilter } from '../service/feed-filter.js';
import type { MetadataOptions } from '../service/records/fetch-records.js';
import type { ServiceClient } from '../service/service-client.js';
import type { LiveEvent, LiveOption } from './live-options.js';

/** One exchange of a stream, with its subscriptions and normalizers. */
export interface PlannedStream {
  readonly option: LiveOption;
  readonly plan: FeedPlan;
  readonly filters: readonly FeedFilter[];
  readonly open: FeedOpener;
}

export interface StreamPlanInput {
  readonly client: ServiceClient;
  readonly metadata: MetadataOptions;
  readonly emit: (event: LiveEvent) => void;
}

/**
 * Plans the stream of one exchange. Its record is requested only if no symbol is named; otherwise the stored
 * record serves for warnings about symbols that it does not list.
 * @throws usage error for data that cannot be normalized or subscribed to, and for an unknown exchange; as
 * any request.
 */
export async function planStream(option: LiveOption, input: StreamPlanInput): Promise<PlannedStream> {
  const { exchange, types } = option;
  const { client, metadata } = input;
  const now = Date.now() * 1000;
  const planFor = (symbols: readonly string[] | undefined): Promise<FeedPlan> =>
    planFeed({ exchange, types, symbols, period: { start: now, end: now + 1 }, isLive: true });
  const named = option.symbols?.length ? option.symbols : undefined;
  if (named) await warnOfUnknownSymbols(option, named, input);
  const basePlan = await planFor(named).catch(async (error: unknown) => {
    const { createUnknownExchangeError } = await import('../service/records/fetch-records.js');
    // For an unknown exchange, report that instead of its missing types.
    throw (
      (hasOwnNormalizers(exchange)
        ? undefined
        : await createUnknownExchangeError(client, exchange, metadata)) ?? error
    );
  });
  for (const type of basePlan.missingTypes) {
    input.emit({ event: 'warning', message: `${exchange} has no ${type} messages; skipping them` });
  }
  const plan =
    named || supportsWholeChannels(exchange)
      ? basePlan
      : await planFor(await fetchStreamSymbols(option, basePlan, input));
  const filters = collectFilters(plan);
  return { option, plan, filters, open: await planLiveFeeds(exchange, filters) };
}

function collectFilters({ segments }: FeedPlan): readonly FeedFilter[] {
  return segments.flatMap(({ filters }) => filters);
}

/** @throws usage error if there are more symbols than one connection supports. */
async function fetchStreamSymbols(
  { exchange }: LiveOption,
  plan: FeedPlan,
  { client, metadata }: StreamPlanInput,
): Promise<readonly string[]> {
  const { FIELDS, fetchRecord } = await import('../service/records/fetch-records.js');
  const { symbols } = await fetchRecord(client, exchange, FIELDS.activeNames, metadata);
  if (symbols.length === 0) throw usageError(`${exchange} has no active symbols`);
  const channels = new Set(collectFilters(plan).map(({ channel }) => channel)).size;
  const maxSymbols = Math.floor(maxStreamsPerConnection(exchange) / channels);
  if (symbols.length <= maxSymbols) return symbols;
  throw usageError(
    `${exchange} has ${symbols.length} active symbols, but one connection supports ${maxSymbols} for these types; list some, such as ${exchange}:${symbols.slice(0, 2).join(',')}`,
  );
}

/** Only warns, since a symbol may be newer than the record. */
async function warnOfUnknownSymbols(
  { exchange }: LiveOption,
  named: readonly string[],
  { client, metadata, emit }: StreamPlanInput,
): Promise<void> {
  const { FIELDS, fetchRecord } = await import('../service/records/fetch-records.js');
  const names = await fetchRecord(client, exchange, FIELDS.names, { ...metadata, offline: true }).catch(
    ignoreUnavailable,
  );
  if (names === undefined || names.symbols.length === 0) return;
  const known = new Set(names.symbols.map((symbol) => symbol.toUpperCase()));
  for (const symbol of named.filter((symbol) => !known.has(symbol.toUpperCase()))) {
    const near = nearestNames(symbol, names.symbols);
    const hint = near.length > 0 ? `; did you mean ${near.join(', ')}?` : '';
    emit({ event: 'warning', message: `the record of ${exchange} does not list ${symbol}${hint}` });
  }
}

function ignoreUnavailable(error: unknown): undefined {
  if (error instanceof TickhaulError) return undefined;
  throw error;
}

import { TickhaulError, usageError } from '../base/errors.js';
import { nearestNames } from '../base/nearest.js';
import { type FeedPlan, planFeed } from '../dialects/feed-plan.js';
import { mostStreams, takesWholeChannels } from '../dialects/live/most-streams.js';
import { type FeedOpener, planFeeds } from '../dialects/live/open-feeds.js';
import { isRefused } from '../dialects/refusals.js';
import type { Filter } from '../service/feed-filter.js';
import type { Client } from '../service/http/client.js';
import type { MetadataOptions } from '../service/records/metadata.js';
import type { LiveEvent, LiveOption } from './types.js';

/** One exchange of a stream, with how its messages are asked for and read. */
export interface PlannedOption {
  readonly option: LiveOption;
  readonly plan: FeedPlan;
  readonly filters: readonly Filter[];
  readonly open: FeedOpener;
}

export interface PlanInput {
  readonly client: Client;
  readonly metadata: MetadataOptions;
  readonly tell: (event: LiveEvent) => void;
}

/**
 * Plans the stream of one exchange. Its record is asked for only where no symbol is named; else a stored copy tells of
 * those that it doesn't list.
 * @throws usage error for what can't be read or asked for live, an unknown exchange among it; as for any request.
 */
export async function planOption(option: LiveOption, input: PlanInput): Promise<PlannedOption> {
  const { exchange, types } = option;
  const { client, metadata } = input;
  const now = Date.now() * 1000;
  const planFor = (symbols: readonly string[] | undefined): Promise<FeedPlan> =>
    planFeed({ exchange, types, symbols, period: { start: now, end: now + 1 }, isLive: true });
  const given = option.symbols?.length ? option.symbols : undefined;
  if (given) await tellUnknown(option, given, input);
  const any = await planFor(given).catch(async (error: unknown) => {
    const { unknownExchange } = await import('../service/records/feed-names.js');
    // An exchange that nobody knows has no type either.
    throw (isRefused(exchange) ? undefined : await unknownExchange(client, exchange, metadata)) ?? error;
  });
  for (const type of any.lacking) {
    input.tell({ event: 'warning', message: `${exchange} has no ${type} messages; they are left out` });
  }
  const plan =
    given || takesWholeChannels(exchange) ? any : await planFor(await activeSymbols(option, any, input));
  const filters = filtersOf(plan);
  return { option, plan, filters, open: await planFeeds(exchange, filters) };
}

function filtersOf({ segments }: FeedPlan): readonly Filter[] {
  return segments.flatMap(({ filters }) => filters);
}

/** @throws usage error where they are more than one connection may ask for. */
async function activeSymbols(
  { exchange }: LiveOption,
  plan: FeedPlan,
  { client, metadata }: PlanInput,
): Promise<readonly string[]> {
  const { fetchActiveSymbols } = await import('../service/records/feed-names.js');
  const symbols = await fetchActiveSymbols(client, exchange, metadata);
  if (symbols.length === 0) throw usageError(`${exchange} has no active symbols`);
  const channels = new Set(filtersOf(plan).map(({ channel }) => channel)).size;
  const most = Math.floor(mostStreams(exchange) / channels);
  if (symbols.length <= most) return symbols;
  throw usageError(
    `${exchange} has ${symbols.length} active symbols, and one connection takes ${most} for these types: name some, as ${exchange}:${symbols.slice(0, 2).join(',')}`,
  );
}

/** A symbol may be newer than the record: the exchange has the last word. */
async function tellUnknown(
  { exchange }: LiveOption,
  given: readonly string[],
  { client, metadata, tell }: PlanInput,
): Promise<void> {
  const { fetchFeedNames } = await import('../service/records/feed-names.js');
  const names = await fetchFeedNames(client, exchange, { ...metadata, offline: true }).catch(unlessStored);
  if (names === undefined || names.symbols.length === 0) return;
  const known = new Set(names.symbols.map((symbol) => symbol.toUpperCase()));
  for (const symbol of given.filter((symbol) => !known.has(symbol.toUpperCase()))) {
    const near = nearestNames(symbol, names.symbols);
    const hint = near.length > 0 ? `; did you mean ${near.join(', ')}?` : '';
    tell({ event: 'warning', message: `the record of ${exchange} doesn't list ${symbol}${hint}` });
  }
}

function unlessStored(error: unknown): undefined {
  if (error instanceof TickhaulError) return undefined;
  throw error;
}

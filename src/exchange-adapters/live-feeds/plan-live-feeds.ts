import { usageError } from '../../base/errors.js';
import type { FeedFilter } from '../../service/feed-filter.js';
import type { LiveFeed, OwnChannels, OwnConnection, OwnFeed } from './live-feed.js';
import { OWN_CHANNELS } from './own-channels.js';
import { loadVendorFeeds } from './vendor-feeds.js';

/** Creates the connections that together subscribe to all filters of a stream. */
export type FeedOpener = () => readonly LiveFeed[];

/** Exchanges that require an account for market data. */
const ACCOUNT_REQUIRED: ReadonlySet<string> = new Set(['coinbase-international']);

/**
 * Plans the connections for some filters.
 * @throws usage error if the exchange's API is unknown or requires an account, or if symbols must be named.
 */
export async function planLiveFeeds(exchange: string, filters: readonly FeedFilter[]): Promise<FeedOpener> {
  if (ACCOUNT_REQUIRED.has(exchange)) {
    throw usageError(
      `${exchange}: live market data requires an account, which is not supported; use tickhaul replay for past days`,
    );
  }
  const open = await createFeedOpener(exchange, filters);
  for (const feed of open()) feed.subscriptions();
  return open;
}

async function createFeedOpener(exchange: string, filters: readonly FeedFilter[]): Promise<FeedOpener> {
  const own = OWN_CHANNELS[exchange];
  if (own?.feed) {
    const { feed } = own;
    return () => openOwnFeeds(exchange, own, feed, removeRepeated(filters));
  }
  const vendor = await loadVendorFeeds();
  if (own === undefined) return () => vendor(exchange, filters);
  const isOwn = (filter: FeedFilter): boolean => own.subscribe(filter, filters).length > 0;
  const vendorFilters = filters.filter((filter) => !isOwn(filter));
  return () =>
    vendor(exchange, vendorFilters).map((feed) => withOwnChannels(feed, own, filters.filter(isOwn)));
}

/** Defaults of a connection whose messages are plain JSON. */
const PLAIN = {
  origin: undefined,
  onOpen() {},
  decode: (data: Buffer) => data,
  onMessage() {},
  ping: undefined,
} as const;

function openOwnFeeds(
  exchange: string,
  { subscribe, headers }: OwnChannels,
  { connections, ...feed }: OwnFeed,
  filters: readonly FeedFilter[],
): readonly LiveFeed[] {
  const streams = filters.filter((filter) => subscribe(filter, filters).length > 0);
  const parts: readonly OwnConnection[] =
    connections?.(filters) ?? splitByStreams(exchange, streams).map((part) => ({ filters: part }));
  return parts.map(({ messages, ...connection }) => ({
    ...PLAIN,
    ...feed,
    ...connection,
    headers,
    subscriptions: () => messages ?? connection.filters.flatMap((filter) => subscribe(filter, filters)),
  }));
}

/** Two message types may need the same channel, which some exchanges refuse to send twice. */
function removeRepeated(filters: readonly FeedFilter[]): readonly FeedFilter[] {
  return [...new Map(filters.map((filter) => [JSON.stringify(filter), filter])).values()];
}

function withOwnChannels(feed: LiveFeed, own: OwnChannels, filters: readonly FeedFilter[]): LiveFeed {
  return {
    ...feed,
    headers: own.headers,
    filters: [...feed.filters, ...filters],
    subscriptions: () => [
      ...feed.subscriptions(),
      ...filters.flatMap((filter) => own.subscribe(filter, filters)),
    ],
  };
}

/**
 * Maximum number of streams (channel and symbol) on one connection, by the exchanges' documentation. The
 * default is a number that all exchanges accept.
 */
const MAX_STREAMS: Readonly<Record<string, number>> = {
  aster: 1024,
  'aster-futures': 200,
  binance: 1024,
  'binance-us': 1024,
  'binance-futures': 1024,
  'binance-delivery': 1024,
  bitget: 1000,
  'bitget-futures': 1000,
  deribit: 500,
  hyperliquid: 1000,
  kucoin: 400,
  'kucoin-futures': 400,
  lighter: 500,
  mexc: 30,
  polymarket: 500,
};

const DEFAULT_MAX_STREAMS = 200;

/** Maximum streams of one connection. */
export function maxStreamsPerConnection(exchange: string): number {
  return MAX_STREAMS[exchange] ?? DEFAULT_MAX_STREAMS;
}

/** Splits filters among as few connections as the exchange's documented limit allows. */
function splitByStreams(
  exchange: string,
  filters: readonly FeedFilter[],
): readonly (readonly FeedFilter[])[] {
  const max = MAX_STREAMS[exchange] ?? Number.POSITIVE_INFINITY;
  const streams = filters.flatMap(({ channel, symbols }) =>
    symbols === undefined ? [{ channel }] : symbols.map((symbol) => ({ channel, symbols: [symbol] })),
  );
  if (streams.length <= max) return [filters];
  const parts = Array.from({ length: Math.ceil(streams.length / max) }, (_, i) =>
    streams.slice(i * max, (i + 1) * max),
  );
  return parts.map(mergeByChannel);
}

function mergeByChannel(streams: readonly FeedFilter[]): readonly FeedFilter[] {
  const channels = new Map<string, readonly string[] | undefined>();
  for (const { channel, symbols } of streams) {
    channels.set(channel, symbols && [...(channels.get(channel) ?? []), ...symbols]);
  }
  return [...channels].map(([channel, symbols]) => ({ channel, ...(symbols && { symbols }) }));
}

/** Whether a subscription without symbols selects all symbols of a channel. */
export function supportsWholeChannels(exchange: string): boolean {
  return exchange === 'bitmex';
}

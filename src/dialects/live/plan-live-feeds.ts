import { usageError } from '../../base/errors.js';
import type { FeedFilter } from '../../service/feed-filter.js';
import { loadVendorFeeds } from '../vendor/vendor-feeds.js';
import type { LiveFeed } from './live-feed.js';
import { splitByStreams } from './max-streams.js';
import { OWN_CHANNELS, type OwnChannels } from './own-channels.js';

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
    const { feed, subscribe, headers } = own;
    const { address } = feed;
    const addressOf = ({ channel }: FeedFilter): string =>
      typeof address === 'string' ? address : address(channel);
    const streams = filters.filter((filter) => subscribe(filter, filters).length > 0);
    const parts = [...new Set(streams.map(addressOf))].flatMap((url) =>
      splitByStreams(
        exchange,
        streams.filter((filter) => addressOf(filter) === url),
      ).map((part) => ({ url, part })),
    );
    return () =>
      parts.map(({ url, part }) => ({
        ...PLAIN,
        ...feed,
        headers,
        address: url,
        filters: part,
        subscriptions: () => part.flatMap((filter) => subscribe(filter, filters)),
      }));
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

import { usageError } from '../../base/errors.js';
import type { FeedFilter } from '../../service/feed-filter.js';
import { loadVendorFeeds } from '../vendor/vendor-feeds.js';
import type { LiveFeed } from './live-feed.js';
import { OWN_CHANNELS, type OwnChannels } from './own-channels.js';

/** New connections that together ask for what a stream needs. */
export type FeedOpener = () => readonly LiveFeed[];

/** Exchanges whose market data wants an account there. */
const ACCOUNT_REQUIRED: ReadonlySet<string> = new Set(['coinbase-international']);

/**
 * How the messages of some filters are asked for live.
 * @throws usage error where the exchange's API isn't known or wants an account, or where symbols have to be named.
 */
export async function planLiveFeeds(exchange: string, filters: readonly FeedFilter[]): Promise<FeedOpener> {
  if (ACCOUNT_REQUIRED.has(exchange)) {
    throw usageError(
      `${exchange} gives market data only to its customers, and no keys of exchanges are used here; tickhaul replay has its past days`,
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
    return () => [{ ...PLAIN, ...feed, filters, subscriptions: () => filters.flatMap(own.subscribe) }];
  }
  const vendor = await loadVendorFeeds();
  if (own === undefined) return () => vendor(exchange, filters);
  const isOwn = (filter: FeedFilter): boolean => own.subscribe(filter).length > 0;
  const theirs = filters.filter((filter) => !isOwn(filter));
  return () => vendor(exchange, theirs).map((feed) => withOwnChannels(feed, own, filters.filter(isOwn)));
}

/** A connection of one message after the other, as JSON. */
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
    filters: [...feed.filters, ...filters],
    subscriptions: () => [...feed.subscriptions(), ...filters.flatMap(own.subscribe)],
  };
}

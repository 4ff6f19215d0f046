import { usageError } from '../../base/errors.js';
import type { Filter } from '../../service/feed-filter.js';
import { loadVendorFeeds } from '../vendor/live.js';
import type { LiveFeed } from './live-feed.js';
import { OWN_CHANNELS, type OwnChannels } from './own.js';

/** New connections that together ask for what a stream needs. */
export type FeedOpener = () => readonly LiveFeed[];

/** Exchanges whose market data wants an account there. */
const NEED_ACCOUNT: ReadonlySet<string> = new Set(['coinbase-international']);

/**
 * How the messages of some filters are asked for live.
 * @throws usage error where the exchange's API isn't known or wants an account, or where symbols have to be named.
 */
export async function planFeeds(exchange: string, filters: readonly Filter[]): Promise<FeedOpener> {
  if (NEED_ACCOUNT.has(exchange)) {
    throw usageError(
      `${exchange} gives market data only to its customers, and no keys of exchanges are used here; tickhaul replay has its past days`,
    );
  }
  const open = await feedOpener(exchange, filters);
  for (const feed of open()) feed.subscriptions();
  return open;
}

async function feedOpener(exchange: string, filters: readonly Filter[]): Promise<FeedOpener> {
  const own = OWN_CHANNELS[exchange];
  if (own?.feed) {
    const { feed } = own;
    return () => [{ ...PLAIN, ...feed, filters, subscriptions: () => filters.flatMap(own.subscribe) }];
  }
  const vendor = await loadVendorFeeds();
  if (own === undefined) return () => vendor(exchange, filters);
  const isOwn = (filter: Filter): boolean => own.subscribe(filter).length > 0;
  const theirs = filters.filter((filter) => !isOwn(filter));
  return () => vendor(exchange, theirs).map((feed) => withOwn(feed, own, filters.filter(isOwn)));
}

/** A connection of one message after the other, as JSON. */
const PLAIN = {
  origin: undefined,
  onOpen() {},
  decode: (data: Buffer) => data,
  onMessage() {},
  ping: undefined,
} as const;

function withOwn(feed: LiveFeed, own: OwnChannels, filters: readonly Filter[]): LiveFeed {
  return {
    ...feed,
    filters: [...feed.filters, ...filters],
    subscriptions: () => [...feed.subscriptions(), ...filters.flatMap(own.subscribe)],
  };
}

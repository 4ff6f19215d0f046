import { usageError } from '../../base/errors.js';
import type { FeedFilter } from '../../service/feed-filter.js';
import { createMissingExportError, importVendor } from '../vendor-normalizer.js';
import type { LiveFeed, SendMessage } from './live-feed.js';

/** The members in use of the vendor's class for a connection. */
interface VendorFeed {
  readonly wssURL: string;
  readonly throttleSubscribeMS: number;
  readonly originHeader: string | undefined;
  readonly decompress?: (data: Buffer) => Buffer;
  readonly sendCustomPing?: () => void;
  readonly _filters: readonly FeedFilter[];
  mapToSubscribeMessages(filters: readonly FeedFilter[]): readonly unknown[];
  messageIsError(message: unknown): boolean;
  isIgnoredError(message: unknown): boolean;
  messageIsHeartbeat(message: unknown): boolean;
  onMessage(message: unknown): void;
  onConnected(): Promise<void>;
  /** Replaced, since the original needs the vendor's socket. */
  send: SendMessage;
  /** Whether the environment has credentials of other tools, with which it would log in. */
  _hasCredentials?: boolean;
}

/** The vendor's class for an exchange with several connections. */
interface VendorFeeds {
  _getRealTimeFeeds(exchange: string, filters: readonly FeedFilter[]): Iterable<object>;
}

/** Creates the connections that subscribe to the filters; some filters need none. */
export type VendorFeedFactory = (exchange: string, filters: readonly FeedFilter[]) => readonly LiveFeed[];

/**
 * Loads addresses, subscriptions and error tests of exchanges from npm tardis-dev (MPL-2.0). Its sockets and
 * requests are not used: creating its classes opens nothing.
 * @throws usage error if the package is not installed, or is another release; from the factory, if it does
 * not support the exchange.
 */
export async function loadVendorFeeds(): Promise<VendorFeedFactory> {
  const loaded = await importVendor(() => import('tardis-dev/dist/realtimefeeds/index.js'));
  const create = loaded['createRealTimeFeed'];
  if (typeof create !== 'function') throw createMissingExportError('is an unsupported release');
  return (exchange, filters) => {
    const created = createFeed(create as CreateFeed, exchange, filters);
    const feeds =
      '_getRealTimeFeeds' in created
        ? [...(created as VendorFeeds)._getRealTimeFeeds(exchange, copyFilters(filters))]
        : [created];
    return feeds.filter(isFeed).map((feed) => toLiveFeed(exchange, feed));
  };
}

type CreateFeed = (exchange: string, filters: readonly FeedFilter[]) => object;

function createFeed(create: CreateFeed, exchange: string, filters: readonly FeedFilter[]): object {
  try {
    return create(exchange, copyFilters(filters));
  } catch (cause) {
    const isUnknown = cause instanceof Error && cause.message.startsWith('not supported exchange');
    throw isUnknown ? usageError(`${exchange}: the real-time API is unknown`) : cause;
  }
}

/** Copied, since the package merges filters of one channel in place. */
function copyFilters(filters: readonly FeedFilter[]): readonly FeedFilter[] {
  return filters.map(({ channel, symbols }) => ({ channel, ...(symbols && { symbols: [...symbols] }) }));
}

/** Excludes classes that only poll over HTTP. */
function isFeed(created: object): created is VendorFeed {
  return 'mapToSubscribeMessages' in created;
}

function toLiveFeed(exchange: string, feed: VendorFeed): LiveFeed {
  if (feed._hasCredentials !== undefined) feed._hasCredentials = false;
  const { wssURL, sendCustomPing, _filters: filters } = feed;
  return {
    address: wssURL === '' ? undefined : wssURL,
    origin: feed.originHeader,
    filters,
    throttleMs: feed.throttleSubscribeMS,
    subscriptions() {
      try {
        return feed.mapToSubscribeMessages(filters);
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw usageError(
          /explicitly specified symbols/.test(reason)
            ? `${exchange} requires symbols; list some, such as ${exchange}:SYMBOL`
            : `${exchange}: ${reason}`,
        );
      }
    },
    onOpen(send) {
      feed.send = send;
      void feed.onConnected();
    },
    decode: (data) => feed.decompress?.(data) ?? data,
    classify(message) {
      if (feed.messageIsError(message)) return feed.isIgnoredError(message) ? 'ignored' : 'error';
      return feed.messageIsHeartbeat(message) ? 'heartbeat' : 'data';
    },
    onMessage(message, send) {
      feed.send = send;
      feed.onMessage(message);
    },
    ping:
      sendCustomPing &&
      ((send) => {
        feed.send = send;
        sendCustomPing();
      }),
  };
}

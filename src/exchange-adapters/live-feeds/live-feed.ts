import type { FeedFilter } from '../../service/feed-filter.js';

/** Sends a message to the exchange: a text as it is, anything else as JSON. */
export type SendMessage = (message: unknown) => void;

/**
 * Kind of a message: `data` may be normalized; `heartbeat` only keeps the connection alive; `ignored` is an
 * error that does not affect the connection; `error` is one that makes it useless.
 */
export type MessageKind = 'data' | 'heartbeat' | 'ignored' | 'error';

/**
 * Protocol of one connection to an exchange's real-time API. It opens no connection itself, and each
 * connection needs a new one.
 */
export interface LiveFeed {
  /** `wss://…`; undefined if an HTTP request returns it (`ADDRESS_REQUESTS`). */
  readonly address: string | undefined;
  /** Path below the address, if the exchange's connections have several; also below one that replaces it. */
  readonly path?: string;
  /** Origin header, if the exchange requires one. */
  readonly origin: string | undefined;
  /** Other headers of the handshake. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Filters of this connection. */
  readonly filters: readonly FeedFilter[];
  /** Milliseconds between two subscribe messages. */
  readonly throttleMs: number;
  /** The subscribe messages for the filters. @throws if the exchange requires symbols and there are none. */
  subscriptions(): readonly unknown[];
  /** Called before the subscribe messages are sent. */
  onOpen(send: SendMessage): void;
  /** Decodes a message to its JSON in UTF-8. */
  decode(data: Buffer): Buffer;
  classify(message: unknown): MessageKind;
  /** Sends the reply that the exchange requires to a message, if any. */
  onMessage(message: unknown, send: SendMessage): void;
  /** Keeps the connection alive; undefined if WebSocket pings are sufficient. */
  readonly ping: ((send: SendMessage) => void) | undefined;
}

/** Subscriptions to channels that tickhaul's own normalizers read. */
export interface OwnChannels {
  /** The connection, if all channels of the exchange are defined here; if omitted, the vendor's. */
  readonly feed?: OwnFeed;
  /** Headers of the handshake. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The subscribe messages for a filter; empty for a channel that is not defined here.
   * @param filters all filters of the stream.
   */
  readonly subscribe: (filter: FeedFilter, filters: readonly FeedFilter[]) => readonly object[];
}

/** A connection; its defaults are those of plain JSON. */
export interface OwnFeed
  extends Pick<LiveFeed, 'address' | 'throttleMs' | 'classify'>,
    Partial<Pick<LiveFeed, 'decode' | 'onMessage' | 'ping'>> {
  /** Divides filters among connections; if omitted, there is one. */
  readonly connections?: (filters: readonly FeedFilter[]) => readonly OwnConnection[];
}

export interface OwnConnection extends Pick<LiveFeed, 'path' | 'filters'> {
  /** The subscribe messages; if omitted, those of each filter. */
  readonly messages?: readonly object[];
}

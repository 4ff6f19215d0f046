import type { FeedFilter } from '../../service/feed-filter.js';

/** Sends a message to the exchange, as JSON. */
export type SendMessage = (message: unknown) => void;

/**
 * What a message of an exchange is: `data` may be normalized; `heartbeat` only keeps the connection alive; `ignored` is
 * an error that leaves the rest as it is; `error` is one after which the connection is of no use.
 */
export type MessageKind = 'data' | 'heartbeat' | 'ignored' | 'error';

/**
 * How clients of an exchange speak over one connection of its real-time API. It opens none itself. It is made anew for
 * each connection.
 */
export interface LiveFeed {
  /** `wss://…`; undefined where a request of HTTP tells it (`addressRequest`). */
  readonly address: string | undefined;
  /** The Origin header, where the exchange asks for one. */
  readonly origin: string | undefined;
  /** What this connection is asked for. */
  readonly filters: readonly FeedFilter[];
  /** Milliseconds between two messages that subscribe. */
  readonly throttleMs: number;
  /** The messages that ask for the filters. @throws where the exchange wants symbols and there are none. */
  subscriptions(): readonly unknown[];
  /** Before those messages. */
  onOpen(send: SendMessage): void;
  /** The JSON of a message as it was sent, in UTF-8. */
  decode(data: Buffer): Buffer;
  judge(message: unknown): MessageKind;
  /** What the exchange wants in answer to a message. */
  onMessage(message: unknown, send: SendMessage): void;
  /** Keeps the connection alive; undefined where a ping of the protocol does. */
  readonly ping: ((send: SendMessage) => void) | undefined;
}

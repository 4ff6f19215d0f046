import type { EventOf, FeedEvent } from '../market/market-event.js';

/** A message of an exchange's own feed, with the fields that filters of the raw data API use. */
export interface NativeMessage {
  readonly channel: string;
  /** The symbol as in filters of this channel; undefined in channels without symbols. */
  readonly symbol: string | undefined;
  /** Microseconds. */
  readonly localTimestamp: number;
  readonly message: object;
}

/**
 * The message writers of one connection, by event type. A type without a writer is one that the exchange has no
 * message for.
 */
export type Dialect = {
  readonly [Type in FeedEvent['type']]?: (event: EventOf<Type>) => readonly NativeMessage[];
};

import type { SourceRecord } from '../../market/records/source-record.js';

type WithoutMicros<Rec> = Rec extends SourceRecord ? Omit<Rec, 'micros'> : never;

/**
 * Something that happened on a market, as a normalized message tells it. Times are microseconds; a value that is
 * undefined is one that the exchange doesn't give.
 */
export type FeedEvent = WithoutMicros<SourceRecord>;

export type EventOf<Type extends FeedEvent['type']> = Extract<FeedEvent, { readonly type: Type }>;

/** A message of an exchange's own feed, with what the raw data API chooses messages by. */
export interface NativeMessage {
  readonly channel: string;
  /** As filters of this channel name it; undefined in channels without symbols. */
  readonly symbol: string | undefined;
  /** Microseconds. */
  readonly localTimestamp: number;
  readonly message: object;
}

/**
 * How one connection of an exchange tells events, by their type: a type that is missing here is one that the exchange
 * has no message for.
 */
export type Dialect = {
  readonly [Type in FeedEvent['type']]?: (event: EventOf<Type>) => readonly NativeMessage[];
};

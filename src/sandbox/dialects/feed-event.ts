import type { MessageRecord } from '../../market/records/message-record.js';

type WithoutMicros<Rec> = Rec extends MessageRecord ? Omit<Rec, 'micros'> : never;

/**
 * A market event with the fields of a normalized message. Times are microseconds; values that the exchange does not
 * provide are undefined.
 */
export type FeedEvent = WithoutMicros<MessageRecord>;

export type EventOf<Type extends FeedEvent['type']> = Extract<FeedEvent, { readonly type: Type }>;

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

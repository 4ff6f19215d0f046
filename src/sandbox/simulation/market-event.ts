import type { MessageRecord } from '../../market/message-record.js';

type WithoutMicros<Rec> = Rec extends MessageRecord ? Omit<Rec, 'micros'> : never;

/**
 * A market event with the fields of a normalized message. Times are microseconds; values that the exchange does not
 * provide are undefined.
 */
export type FeedEvent = WithoutMicros<MessageRecord>;

export type EventOf<Type extends FeedEvent['type']> = Extract<FeedEvent, { readonly type: Type }>;

/**
 * What a collector receives from one synthetic market, in order. Day files and feeds are written from these events. The
 * local time increases, but for the trades of one order, which have the same; the exchange's time never decreases.
 */
export type MarketEvent = Exclude<FeedEvent, EventOf<'derivative_ticker'>> | TickerEvent | DisconnectEvent;

export interface TickerEvent extends EventOf<'derivative_ticker'> {
  /** Values as in day files, which have more digits than a number keeps. */
  readonly cells: {
    readonly fundingRate: string;
    readonly predictedFundingRate: string;
    readonly markPrice: string;
  };
}

/** The collector's connection was lost. Events until the next snapshot of the book are not received. */
export interface DisconnectEvent {
  readonly type: 'disconnect';
  /** Time of the loss, for all symbols of the exchange, between the events before and after. */
  readonly localTimestamp: number;
}

/** Size and seed of the simulated markets. */
export interface MarketSize {
  /** Number of trades, levels of book changes, tickers and liquidations, each per symbol and day. */
  readonly rows: number;
  readonly seed: number;
}

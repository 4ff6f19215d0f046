import type { LevelChange } from './synthetic-book.js';

/**
 * What a collector receives from one synthetic market, in order. Day files and feeds are generated from these events.
 * Prices are whole ticks and amounts whole lots of the instrument; times are microseconds since the epoch.
 */
export type MarketEvent = TradesEvent | BookChangeEvent | TickerEvent | LiquidationEvent | DisconnectEvent;

interface Times {
  /** The exchange's time, which never decreases. */
  readonly timestamp: number;
  /** Time of receipt, which increases with each event. */
  readonly localTimestamp: number;
}

/** An order that is filled at the current best level. A later book change removes the filled lots. */
export interface TradesEvent extends Times {
  readonly kind: 'trades';
  readonly side: 'buy' | 'sell' | 'unknown';
  readonly ticks: number;
  readonly fills: readonly Fill[];
}

export interface Fill {
  /** Empty if the exchange provides none. */
  readonly id: string;
  readonly lots: number;
}

export interface BookChangeEvent extends Times {
  readonly kind: 'book_change';
  /** Whether the levels are the whole book. */
  readonly isSnapshot: boolean;
  readonly levels: readonly LevelChange[];
}

/** Periodic values of a derivative; undefined ones are not provided. See `formatTickerValues` for their text. */
export interface TickerEvent extends Times {
  readonly kind: 'ticker';
  /** Time of the next funding. */
  readonly fundingTimestamp: number | undefined;
  readonly fundingRate: number;
  readonly predictedFundingRate: number | undefined;
  readonly openInterest: number;
  readonly lastTicks: number | undefined;
  readonly indexTicks: number;
  readonly markPrice: number;
}

/** A position that was closed at the current best price. */
export interface LiquidationEvent extends Times, Fill {
  readonly kind: 'liquidation';
  readonly side: 'buy' | 'sell';
  readonly ticks: number;
}

/** The collector's connection was lost. Events until the next snapshot of the book are not received. */
export interface DisconnectEvent {
  readonly kind: 'disconnect';
  /** Time of the loss, for all symbols of the exchange, between the events before and after. */
  readonly localTimestamp: number;
}

import type { LevelChange } from './synthetic-book.js';

/**
 * What a collector receives of one made-up market, in the order in which it does: its day files, and any other form of
 * the same data, are written of these. Prices are whole ticks and amounts whole lots of the instrument; times are
 * microseconds since the epoch.
 */
export type MarketEvent = TradesEvent | BookChangeEvent | TickerEvent | LiquidationEvent | DisconnectEvent;

interface Times {
  /** The exchange's own time; it never goes back. */
  readonly timestamp: number;
  /** When it was received; it goes up from event to event. */
  readonly localTimestamp: number;
}

/** An order that took from the best level of that moment, and whom it met there. What it took leaves the book after. */
export interface TradesEvent extends Times {
  readonly kind: 'trades';
  readonly side: 'buy' | 'sell' | 'unknown';
  readonly ticks: number;
  readonly fills: readonly Fill[];
}

export interface Fill {
  /** Empty where the exchange gives none. */
  readonly id: string;
  readonly lots: number;
}

export interface BookChangeEvent extends Times {
  readonly kind: 'book_change';
  /** Whether the levels are the whole book. */
  readonly isSnapshot: boolean;
  readonly levels: readonly LevelChange[];
}

/** What exchanges tell of a derivative from time to time; undefined where they don't. `formatTickerValues` writes it. */
export interface TickerEvent extends Times {
  readonly kind: 'ticker';
  /** The next funding. */
  readonly fundingTimestamp: number | undefined;
  readonly fundingRate: number;
  readonly predictedFundingRate: number | undefined;
  readonly openInterest: number;
  readonly lastTicks: number | undefined;
  readonly indexTicks: number;
  readonly markPrice: number;
}

/** A position that was closed at the best price of that moment. */
export interface LiquidationEvent extends Times, Fill {
  readonly kind: 'liquidation';
  readonly side: 'buy' | 'sell';
  readonly ticks: number;
}

/** The collector's connection broke; what happens until the next snapshot of the book is seen by nobody. */
export interface DisconnectEvent {
  readonly kind: 'disconnect';
  /** When it did, for all symbols of the exchange: between the events before and after. */
  readonly localTimestamp: number;
}

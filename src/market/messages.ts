/**
 * The normalized messages (docs/spec/normalized-messages.md#common-keys), as `JSON.parse` of a line returns them, with
 * the keys in their order in a line. A key with `?` is absent if the exchange sends no value; it is never
 * null.
 *
 * Times are ISO 8601, UTC, ending in `Z`. `localTimestamp`, the time at which the message was received, has
 * six decimals. `timestamp`, the exchange's time, has six if the exchange sends microseconds or no time (it
 * is then the local time), otherwise three. Prices, amounts and volumes are in the exchange's units.
 */
export type Message =
  | TradeMessage
  | BookChangeMessage
  | DerivativeTickerMessage
  | LiquidationMessage
  | OptionSummaryMessage
  | BookTickerMessage
  | BookSnapshotMessage
  | TradeBarMessage
  | DisconnectMessage;

/**
 * Side that took liquidity; `unknown` if the exchange does not state it. For a liquidation, `buy` closes a
 * short.
 */
export type TradeSide = 'buy' | 'sell' | 'unknown';

export interface PriceLevel {
  readonly price: number;
  /** In a change: the new total at this price; 0 removes the level. */
  readonly amount: number;
}

interface Trade<Type extends string> {
  readonly type: Type;
  readonly symbol: string;
  readonly exchange: string;
  readonly id?: string;
  readonly price: number;
  readonly amount: number;
  readonly side: TradeSide;
  readonly timestamp: string;
  readonly localTimestamp: string;
}

export type TradeMessage = Trade<'trade'>;
export type LiquidationMessage = Trade<'liquidation'>;

/** Levels are in the exchange's order; either side may be empty. */
export interface BookChangeMessage {
  readonly type: 'book_change';
  readonly symbol: string;
  readonly exchange: string;
  /** Whether this is the whole book instead of a change. */
  readonly isSnapshot: boolean;
  readonly bids: readonly PriceLevel[];
  readonly asks: readonly PriceLevel[];
  readonly timestamp: string;
  readonly localTimestamp: string;
}

export interface DerivativeTickerMessage {
  readonly type: 'derivative_ticker';
  readonly symbol: string;
  readonly exchange: string;
  readonly lastPrice?: number;
  readonly openInterest?: number;
  readonly fundingRate?: number;
  /** Time of the next funding; three decimals. */
  readonly fundingTimestamp?: string;
  readonly predictedFundingRate?: number;
  readonly indexPrice?: number;
  readonly markPrice?: number;
  readonly timestamp: string;
  readonly localTimestamp: string;
}

export interface BookTickerMessage {
  readonly type: 'book_ticker';
  readonly symbol: string;
  readonly exchange: string;
  readonly askAmount?: number;
  readonly askPrice?: number;
  readonly bidPrice?: number;
  readonly bidAmount?: number;
  readonly timestamp: string;
  readonly localTimestamp: string;
}

export interface OptionSummaryMessage {
  readonly type: 'option_summary';
  readonly symbol: string;
  readonly exchange: string;
  readonly optionType: 'put' | 'call';
  readonly strikePrice: number;
  /** Three decimals. */
  readonly expirationDate: string;
  readonly bestBidPrice?: number;
  readonly bestBidAmount?: number;
  readonly bestBidIV?: number;
  readonly bestAskPrice?: number;
  readonly bestAskAmount?: number;
  readonly bestAskIV?: number;
  readonly lastPrice?: number;
  readonly openInterest?: number;
  readonly markPrice?: number;
  readonly markIV?: number;
  readonly delta?: number;
  readonly gamma?: number;
  readonly vega?: number;
  readonly theta?: number;
  readonly rho?: number;
  readonly underlyingPrice?: number;
  readonly underlyingIndex: string;
  readonly timestamp: string;
  readonly localTimestamp: string;
}

/** A missing level is an empty object, so that both sides have `depth` entries. */
export type SnapshotLevel = PriceLevel | { readonly price?: never; readonly amount?: never };

export interface BookSnapshotMessage {
  readonly type: 'book_snapshot';
  readonly symbol: string;
  readonly exchange: string;
  /** The data type as it was requested. */
  readonly name: string;
  readonly depth: number;
  /** Milliseconds; 0 for a snapshot at every change. */
  readonly interval: number;
  readonly grouping?: number;
  /** Highest first. */
  readonly bids: readonly SnapshotLevel[];
  /** Lowest first. */
  readonly asks: readonly SnapshotLevel[];
  /** The end of the interval (three decimals), or the time of the change. */
  readonly timestamp: string;
  readonly localTimestamp: string;
}

export interface TradeBarMessage {
  readonly type: 'trade_bar';
  readonly symbol: string;
  readonly exchange: string;
  /** The data type as it was requested. */
  readonly name: string;
  /** Milliseconds, number of trades, or volume, depending on `kind`. */
  readonly interval: number;
  readonly kind: 'time' | 'tick' | 'volume';
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  readonly buyVolume: number;
  readonly sellVolume: number;
  readonly trades: number;
  /** Volume-weighted average price; null if the bar began with trades of amount 0. */
  readonly vwap: number | null;
  readonly openTimestamp: string;
  readonly closeTimestamp: string;
  /** That of the trade that closed the bar: the first one after it, or the last one in it. */
  readonly localTimestamp: string;
  /** The end of the interval, to the millisecond, or the time of the bar's last trade. */
  readonly timestamp: string;
}

/** The collector lost its connection; day files have no disconnects. */
export interface DisconnectMessage {
  readonly type: 'disconnect';
  readonly exchange: string;
  readonly localTimestamp: string;
  readonly symbols?: readonly string[];
}

/** Computed types keep their state for each instrument, and never mix two of them. */
export interface Instrument {
  readonly exchange: string;
  readonly symbol: string;
}

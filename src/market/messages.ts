/**
 * The normalized messages (service interface, Normalized messages), as `JSON.parse` of a line gives them, with
 * their keys in the order in which a line has them. A key with `?` is absent where the exchange gives no value;
 * it is never null.
 *
 * Times are ISO 8601, UTC, ending in `Z`: `localTimestamp`, when the message was received, has six decimals.
 * `timestamp`, the exchange's own time, has six where the exchange sends microseconds or sends no time at all (it
 * is the local one then), else three. Prices, amounts and volumes are in the exchange's own units.
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

/** What takes liquidity; `unknown` where the exchange doesn't say. Of a liquidation, `buy` means a short was closed. */
export type TradeSide = 'buy' | 'sell' | 'unknown';

export interface PriceLevel {
  readonly price: number;
  /** Of a change: the new total at this price, 0 where the level is gone. */
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
  /** Whether this is the whole book, and not a change of it. */
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
  /** The next funding; three decimals. */
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

/** An empty object stands where the book has no such level, so that both sides have `depth` entries. */
export type SnapshotLevel = PriceLevel | { readonly price?: never; readonly amount?: never };

export interface BookSnapshotMessage {
  readonly type: 'book_snapshot';
  readonly symbol: string;
  readonly exchange: string;
  /** The data type as it was asked for. */
  readonly name: string;
  readonly depth: number;
  /** Milliseconds; 0 for every change. */
  readonly interval: number;
  readonly grouping?: number;
  /** Highest first. */
  readonly bids: readonly SnapshotLevel[];
  /** Lowest first. */
  readonly asks: readonly SnapshotLevel[];
  /** The interval's end (three decimals), or the change's own time. */
  readonly timestamp: string;
  readonly localTimestamp: string;
}

export interface TradeBarMessage {
  readonly type: 'trade_bar';
  readonly symbol: string;
  readonly exchange: string;
  /** The data type as it was asked for. */
  readonly name: string;
  /** Milliseconds, trades, or volume, by `kind`. */
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
  /** The mean price by volume; null where a bar began with trades of no volume. */
  readonly vwap: number | null;
  readonly openTimestamp: string;
  readonly closeTimestamp: string;
  /** Of what closed the bar: the first trade behind it, or the last one in it. */
  readonly localTimestamp: string;
  /** The interval's end (three decimals), or the time of the bar's last trade. */
  readonly timestamp: string;
}

/** The collector's connection broke; day files know of none. */
export interface DisconnectMessage {
  readonly type: 'disconnect';
  readonly exchange: string;
  readonly localTimestamp: string;
  readonly symbols?: readonly string[];
}

import type { PriceLevel, TradeSide } from '../messages.js';

/**
 * The normalized messages as they are passed within a run: the fields of `messages.ts`, with times as
 * numbers. An undefined field is absent from the line.
 */
export type MessageRecord =
  | TradeRecord
  | LiquidationRecord
  | BookChangeRecord
  | DerivativeTickerRecord
  | OptionSummaryRecord
  | BookTickerRecord;

/** Fields of all records. Times are microseconds. */
interface CommonFields {
  readonly symbol: string;
  readonly timestamp: number;
  /** Whether `timestamp` has microseconds in lines: the exchange sends them, or it is the local time. */
  readonly micros: boolean;
  readonly localTimestamp: number;
}

interface Trade<Type extends string> extends CommonFields {
  readonly type: Type;
  readonly id?: string | undefined;
  readonly price: number;
  readonly amount: number;
  readonly side: TradeSide;
}

export type TradeRecord = Trade<'trade'>;
export type LiquidationRecord = Trade<'liquidation'>;

export interface BookChangeRecord extends CommonFields {
  readonly type: 'book_change';
  readonly isSnapshot: boolean;
  readonly bids: readonly PriceLevel[];
  readonly asks: readonly PriceLevel[];
}

export interface DerivativeTickerRecord extends CommonFields {
  readonly type: 'derivative_ticker';
  readonly lastPrice?: number | undefined;
  readonly openInterest?: number | undefined;
  readonly fundingRate?: number | undefined;
  /** Microseconds. */
  readonly fundingTimestamp?: number | undefined;
  readonly predictedFundingRate?: number | undefined;
  readonly indexPrice?: number | undefined;
  readonly markPrice?: number | undefined;
}

export interface BookTickerRecord extends CommonFields {
  readonly type: 'book_ticker';
  readonly askAmount?: number | undefined;
  readonly askPrice?: number | undefined;
  readonly bidPrice?: number | undefined;
  readonly bidAmount?: number | undefined;
}

export interface OptionSummaryRecord extends CommonFields {
  readonly type: 'option_summary';
  readonly optionType: 'put' | 'call';
  readonly strikePrice: number;
  /** Microseconds. */
  readonly expirationDate: number;
  readonly bestBidPrice?: number | undefined;
  readonly bestBidAmount?: number | undefined;
  readonly bestBidIV?: number | undefined;
  readonly bestAskPrice?: number | undefined;
  readonly bestAskAmount?: number | undefined;
  readonly bestAskIV?: number | undefined;
  readonly lastPrice?: number | undefined;
  readonly openInterest?: number | undefined;
  readonly markPrice?: number | undefined;
  readonly markIV?: number | undefined;
  readonly delta?: number | undefined;
  readonly gamma?: number | undefined;
  readonly vega?: number | undefined;
  readonly theta?: number | undefined;
  readonly rho?: number | undefined;
  readonly underlyingPrice?: number | undefined;
  readonly underlyingIndex: string;
}

import type { PriceLevel, TradeSide } from './messages.js';

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

/** What normalizers emit: records, or book changes whose levels were not parsed into objects. */
export type EmittedRecord = MessageRecord | BookTextRecord;

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

interface BookChange<Levels> extends CommonFields {
  readonly type: 'book_change';
  readonly isSnapshot: boolean;
  readonly bids: Levels;
  readonly asks: Levels;
}

export type BookChangeRecord = BookChange<readonly PriceLevel[]>;
/** A book change whose levels were read from text; they are valid until the next message is read. */
export type BookTextRecord = BookChange<TextLevels>;

/** Levels of one side, as doubles and as the content of a JSON array. */
export interface TextLevels {
  readonly count: number;
  /** Later elements have no meaning. */
  readonly prices: Float64Array;
  readonly amounts: Float64Array;
  /** ASCII; later bytes have no meaning. */
  readonly json: DataView;
  readonly jsonBytes: number;
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

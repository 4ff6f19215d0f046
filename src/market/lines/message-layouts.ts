import type { ExchangeMessageTypeName } from '../message-type-name.js';

/** A key of a message whose value comes from a cell of its row. */
export interface MessagePart {
  readonly key: string;
  readonly column: string;
  /** `time`: ISO 8601 with three decimals. There is no kind for booleans: the line writers do not support them. */
  readonly kind: 'number' | 'text' | 'time';
  /** Value in place of an empty cell; undefined to omit the key. */
  readonly fallback?: string;
}

/** Messages that consist of one row of a day file. */
export type OneRowMessageType = Exclude<ExchangeMessageTypeName, 'book_change'>;

const numbers = (...pairs: (readonly [key: string, column: string])[]): MessagePart[] =>
  pairs.map(([key, column]) => ({ key, column, kind: 'number' }));

const TRADE: readonly MessagePart[] = [
  { key: 'id', column: 'id', kind: 'text' },
  ...numbers(['price', 'price'], ['amount', 'amount']),
  { key: 'side', column: 'side', kind: 'text', fallback: 'unknown' },
];

/** The keys between the head and the times, in their order (docs/spec/normalized-messages.md#json-form). */
export const MESSAGE_LAYOUTS: Readonly<Record<OneRowMessageType, readonly MessagePart[]>> = {
  trade: TRADE,
  liquidation: TRADE,
  book_ticker: numbers(
    ['askAmount', 'ask_amount'],
    ['askPrice', 'ask_price'],
    ['bidPrice', 'bid_price'],
    ['bidAmount', 'bid_amount'],
  ),
  derivative_ticker: [
    ...numbers(
      ['lastPrice', 'last_price'],
      ['openInterest', 'open_interest'],
      ['fundingRate', 'funding_rate'],
    ),
    { key: 'fundingTimestamp', column: 'funding_timestamp', kind: 'time' },
    ...numbers(
      ['predictedFundingRate', 'predicted_funding_rate'],
      ['indexPrice', 'index_price'],
      ['markPrice', 'mark_price'],
    ),
  ],
  option_summary: [
    { key: 'optionType', column: 'type', kind: 'text' },
    ...numbers(['strikePrice', 'strike_price']),
    { key: 'expirationDate', column: 'expiration', kind: 'time' },
    ...numbers(
      ['bestBidPrice', 'bid_price'],
      ['bestBidAmount', 'bid_amount'],
      ['bestBidIV', 'bid_iv'],
      ['bestAskPrice', 'ask_price'],
      ['bestAskAmount', 'ask_amount'],
      ['bestAskIV', 'ask_iv'],
      ['lastPrice', 'last_price'],
      ['openInterest', 'open_interest'],
      ['markPrice', 'mark_price'],
      ['markIV', 'mark_iv'],
      ['delta', 'delta'],
      ['gamma', 'gamma'],
      ['vega', 'vega'],
      ['theta', 'theta'],
      ['rho', 'rho'],
      ['underlyingPrice', 'underlying_price'],
    ),
    { key: 'underlyingIndex', column: 'underlying_index', kind: 'text' },
  ],
};

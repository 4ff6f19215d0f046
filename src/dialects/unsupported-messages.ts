import { type TickhaulError, usageError } from '../base/errors.js';
import type { ExchangeMessageTypeName } from '../market/names/message-type-name.js';

/** Messages that cannot be normalized correctly. */
export interface UnsupportedMessages {
  readonly exchange: string;
  /** If omitted, all types. */
  readonly types?: readonly ExchangeMessageTypeName[];
  /** First UTC day; if omitted, always. */
  readonly from?: string;
  /** Reason, as the end of a sentence that begins with the exchange and the type. */
  readonly reason: string;
}

const CHANGED = 'have a form that the normalizers do not support';
const UNKNOWN = 'have no normalizer';

/**
 * Messages that the vendor's release does not support or gets wrong, and that have no normalizer of tickhaul
 * (docs/how-to/normalizers.md#what-is-refused). An error is better than an empty or wrong result.
 */
export const UNSUPPORTED_MESSAGES: readonly UnsupportedMessages[] = [
  { exchange: 'gemini', from: '2026-07-24', reason: CHANGED },
  { exchange: 'gemini', types: ['book_ticker'], reason: UNKNOWN },
  { exchange: 'woo-x', from: '2026-06-29', reason: CHANGED },
  { exchange: 'binance-european-options', from: '2025-12-17', reason: CHANGED },
  { exchange: 'binance-european-options', types: ['book_ticker'], reason: UNKNOWN },
  { exchange: 'bitfinex', types: ['book_ticker'], reason: 'would lack messages' },
  { exchange: 'bitfinex-derivatives', types: ['book_ticker'], reason: 'would lack messages' },
  { exchange: 'crypto-com', types: ['book_ticker'], reason: 'would lack their amounts' },
];

/** Whether some messages of an exchange are unsupported, which implies that the exchange exists. */
export function hasUnsupportedMessages(exchange: string): boolean {
  return UNSUPPORTED_MESSAGES.some((unsupported) => unsupported.exchange === exchange);
}

/**
 * Creates the error for a type that is unsupported in a period, with an alternative; undefined if it is
 * supported.
 * @param end microseconds, exclusive.
 * @param isLive whether the request is a stream.
 */
export function findUnsupportedError(
  exchange: string,
  type: ExchangeMessageTypeName,
  end: number,
  isLive = false,
): TickhaulError | undefined {
  const unsupported = UNSUPPORTED_MESSAGES.find(
    ({ exchange: unsupportedExchange, types, from }) =>
      unsupportedExchange === exchange &&
      (types === undefined || types.includes(type)) &&
      (from === undefined || end > Date.parse(from) * 1000),
  );
  if (unsupported === undefined) return undefined;
  const { from, reason } = unsupported;
  const since = from === undefined ? '' : ` from ${from} on`;
  if (isLive) {
    return usageError(
      `${exchange}: ${type} messages ${reason}${since}; day files have them from the next day on, for tickhaul replay`,
    );
  }
  const earlier = from === undefined ? '' : `, or a period that ends at ${from}`;
  return usageError(
    `${exchange}: ${type} messages of feeds ${reason}${since}; use --source datasets${earlier}`,
  );
}

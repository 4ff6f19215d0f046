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

const UNKNOWN = 'have no normalizer';

/**
 * Messages that the vendor's release does not support or gets wrong, and that have no normalizer of tickhaul
 * (docs/how-to/normalizers.md#what-is-refused). An error is better than an empty or wrong result.
 */
export const UNSUPPORTED_MESSAGES: readonly UnsupportedMessages[] = [
  { exchange: 'bullish', reason: UNKNOWN },
  { exchange: 'lighter', reason: UNKNOWN },
  { exchange: 'polymarket', reason: UNKNOWN },
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
 * @param rows the table, for tests.
 */
export function findUnsupportedError(
  exchange: string,
  type: ExchangeMessageTypeName,
  end: number,
  isLive = false,
  rows = UNSUPPORTED_MESSAGES,
): TickhaulError | undefined {
  const unsupported = rows.find(
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

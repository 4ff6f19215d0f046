import { type TickhaulError, usageError } from '../base/errors.js';
import type { SourceTypeName } from '../market/names/data-type-name.js';

/** Messages that can't be normalized, or not rightly. */
export interface UnsupportedMessages {
  readonly exchange: string;
  /** Left out, all of them. */
  readonly types?: readonly SourceTypeName[];
  /** The UTC day from which on; left out, always. */
  readonly from?: string;
  /** What is known, as the end of a sentence that begins with the exchange and the type. */
  readonly why: string;
}

const CHANGED = "come in a form that the normalizers don't know";
const UNKNOWN = 'have no normalizer';

/**
 * What the vendor's release is silent about or gets wrong, and no normalizer of ours mends (replay facts, section 7).
 * Better no answer than an empty one.
 */
export const UNSUPPORTED_MESSAGES: readonly UnsupportedMessages[] = [
  { exchange: 'aster', why: UNKNOWN },
  { exchange: 'aster-futures', why: UNKNOWN },
  { exchange: 'bullish', why: UNKNOWN },
  { exchange: 'lighter', why: UNKNOWN },
  { exchange: 'mexc', why: UNKNOWN },
  { exchange: 'mexc-futures', why: UNKNOWN },
  { exchange: 'polymarket', why: UNKNOWN },
  { exchange: 'gemini', from: '2026-07-24', why: CHANGED },
  { exchange: 'gemini', types: ['book_ticker'], why: UNKNOWN },
  { exchange: 'woo-x', from: '2026-06-29', why: CHANGED },
  { exchange: 'binance-european-options', from: '2025-12-17', why: CHANGED },
  { exchange: 'binance-european-options', types: ['book_ticker'], why: UNKNOWN },
  { exchange: 'bitfinex', types: ['book_ticker'], why: 'would lack messages' },
  { exchange: 'bitfinex-derivatives', types: ['book_ticker'], why: 'would lack messages' },
  { exchange: 'crypto-com', types: ['book_ticker'], why: 'would lack their amounts' },
];

/** Whether anything of an exchange is refused: then it is a known one. */
export function hasUnsupportedMessages(exchange: string): boolean {
  return UNSUPPORTED_MESSAGES.some((refusal) => refusal.exchange === exchange);
}

/**
 * The refusal that a period runs into, as an error that says what works instead; undefined where none does.
 * @param end microseconds, not included.
 * @param isLive whether it is a stream that is asked for.
 */
export function findUnsupportedError(
  exchange: string,
  type: SourceTypeName,
  end: number,
  isLive = false,
): TickhaulError | undefined {
  const refusal = UNSUPPORTED_MESSAGES.find(
    ({ exchange: of, types, from }) =>
      of === exchange &&
      (types === undefined || types.includes(type)) &&
      (from === undefined || end > Date.parse(from) * 1000),
  );
  if (refusal === undefined) return undefined;
  const { from, why } = refusal;
  const since = from === undefined ? '' : ` from ${from} on`;
  if (isLive) {
    return usageError(
      `${exchange}: ${type} messages ${why}${since}; day files have them from the next day on: tickhaul replay`,
    );
  }
  const earlier = from === undefined ? '' : `, or a period that ends at ${from}`;
  return usageError(
    `${exchange}: ${type} messages of feeds ${why}${since}; what works instead is --source datasets${earlier}`,
  );
}

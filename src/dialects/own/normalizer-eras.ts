import type { ExchangeMessageTypeName } from '../../market/names/message-type-name.js';
import type { Normalizer } from '../normalizer.js';
import {
  bitgetBooks,
  bitgetBookTickers,
  bitgetDerivativeTickers,
  bitgetLiquidations,
  bitgetTrades,
} from './bitget-normalizers.js';
import { gateIoBooks } from './gate-io-books.js';
import { hyperliquidBooks } from './hyperliquid-books.js';
import { krakenBooks, krakenBookTickers, krakenTrades } from './kraken-normalizers.js';
import { okxBooks } from './okx-books.js';

/** Days in which tickhaul's own normalizers read an exchange's messages of some types. */
export interface NormalizerEra {
  /** UTC day. */
  readonly from: string;
  /** UTC day, exclusive; if omitted, the era has not ended. */
  readonly to?: string;
  readonly normalizers: Partial<Readonly<Record<ExchangeMessageTypeName, () => Normalizer>>>;
}

/** The collector recorded the public channel for twelve days in 2023, and permanently since 2026. */
const OKX_BOOKS: readonly NormalizerEra[] = [
  { from: '2023-02-25', to: '2023-03-09', normalizers: { book_change: okxBooks } },
  { from: '2026-05-21', normalizers: { book_change: okxBooks } },
];

/**
 * Messages read by tickhaul's own normalizers, since the exchanges' APIs changed after the vendor's release
 * in use (docs/how-to/normalizers.md#what-reads-which-exchange). The days are those on which the recorded feed changed.
 */
export const OWN_ERAS: Readonly<Record<string, readonly NormalizerEra[]>> = {
  okex: OKX_BOOKS,
  'okex-swap': OKX_BOOKS,
  'okex-futures': OKX_BOOKS,
  'okex-options': OKX_BOOKS,
  bitget: [
    {
      from: '2026-04-28',
      normalizers: { trade: bitgetTrades, book_change: bitgetBooks, book_ticker: bitgetBookTickers },
    },
  ],
  'bitget-futures': [
    {
      from: '2026-04-28',
      normalizers: {
        trade: bitgetTrades,
        book_change: bitgetBooks,
        derivative_ticker: bitgetDerivativeTickers,
        liquidation: bitgetLiquidations,
        book_ticker: bitgetBookTickers,
      },
    },
  ],
  'gate-io': [{ from: '2025-08-01', normalizers: { book_change: gateIoBooks } }],
  hyperliquid: [{ from: '2026-06-17', normalizers: { book_change: hyperliquidBooks } }],
  kraken: [
    {
      from: '2026-07-10',
      normalizers: { trade: krakenTrades, book_change: krakenBooks, book_ticker: krakenBookTickers },
    },
  ],
};

/**
 * Creates tickhaul's own normalizer of a type at a time; undefined if the vendor's is used.
 * @param at microseconds.
 */
export function createOwnNormalizer(
  exchange: string,
  type: ExchangeMessageTypeName,
  at: number,
): Normalizer | undefined {
  const eras = OWN_ERAS[exchange] ?? [];
  const era = eras.find(({ from, to }) => at >= dayToUs(from) && (to === undefined || at < dayToUs(to)));
  return era?.normalizers[type]?.();
}

function dayToUs(day: string): number {
  return Date.parse(day) * 1000;
}

import type { SourceTypeName } from '../../market/names/data-type-name.js';
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

/** Days in which a normalizer of ours reads an exchange's messages of some type. */
export interface NormalizerEra {
  /** UTC day. */
  readonly from: string;
  /** UTC day, not included; left out, to this day. */
  readonly to?: string;
  readonly make: Partial<Readonly<Record<SourceTypeName, () => Normalizer>>>;
}

/** The collector took the public channel for twelve days, and takes it for good since. */
const OKX_BOOKS: readonly NormalizerEra[] = [
  { from: '2023-02-25', to: '2023-03-09', make: { book_change: okxBooks } },
  { from: '2026-05-21', make: { book_change: okxBooks } },
];

/**
 * What is read here and not by the vendor's package: the exchanges' APIs as they are since the release that is used
 * (replay facts, section 7). The days are those at which the collector changed over.
 */
export const OWN_ERAS: Readonly<Record<string, readonly NormalizerEra[]>> = {
  okex: OKX_BOOKS,
  'okex-swap': OKX_BOOKS,
  'okex-futures': OKX_BOOKS,
  'okex-options': OKX_BOOKS,
  bitget: [
    {
      from: '2026-04-28',
      make: { trade: bitgetTrades, book_change: bitgetBooks, book_ticker: bitgetBookTickers },
    },
  ],
  'bitget-futures': [
    {
      from: '2026-04-28',
      make: {
        trade: bitgetTrades,
        book_change: bitgetBooks,
        derivative_ticker: bitgetDerivativeTickers,
        liquidation: bitgetLiquidations,
        book_ticker: bitgetBookTickers,
      },
    },
  ],
  'gate-io': [{ from: '2025-08-01', make: { book_change: gateIoBooks } }],
  hyperliquid: [{ from: '2026-06-17', make: { book_change: hyperliquidBooks } }],
  kraken: [
    {
      from: '2026-07-10',
      make: { trade: krakenTrades, book_change: krakenBooks, book_ticker: krakenBookTickers },
    },
  ],
};

/**
 * Our normalizer of a type at a time; undefined where the vendor's is taken.
 * @param at microseconds.
 */
export function ownNormalizer(exchange: string, type: SourceTypeName, at: number): Normalizer | undefined {
  const eras = OWN_ERAS[exchange] ?? [];
  const era = eras.find(({ from, to }) => at >= dayToUs(from) && (to === undefined || at < dayToUs(to)));
  return era?.make[type]?.();
}

function dayToUs(day: string): number {
  return Date.parse(day) * 1000;
}

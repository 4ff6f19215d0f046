import type { ExchangeMessageTypeName } from '../../market/names/message-type-name.js';
import type { Normalizer } from '../normalizer.js';
import {
  asterBooks,
  asterBookTickers,
  asterDerivativeTickers,
  asterFuturesBooks,
  asterLiquidations,
  asterTrades,
} from './aster-normalizers.js';
import {
  bitgetBooks,
  bitgetBookTickers,
  bitgetDerivativeTickers,
  bitgetLiquidations,
  bitgetTrades,
} from './bitget-normalizers.js';
import {
  bullishBooks,
  bullishBookTickers,
  bullishDerivativeTickers,
  bullishOptionSummaries,
  bullishTrades,
} from './bullish-normalizers.js';
import { gateIoBooks } from './gate-io-books.js';
import { hyperliquidBooks } from './hyperliquid-books.js';
import { krakenBooks, krakenBookTickers, krakenTrades } from './kraken-normalizers.js';
import {
  lighterBooks,
  lighterBookTickers,
  lighterDerivativeTickers,
  lighterLiquidations,
  lighterTrades,
} from './lighter-normalizers.js';
import {
  mexcBooks,
  mexcBookTickers,
  mexcFuturesBooks,
  mexcFuturesDerivativeTickers,
  mexcFuturesTrades,
  mexcTrades,
} from './mexc-normalizers.js';
import { okxBooks } from './okx-books.js';
import { polymarketBooks, polymarketBookTickers, polymarketTrades } from './polymarket-normalizers.js';

/** @param isLive whether the messages come from a live connection, where a book without gaps can be had. */
type CreateNormalizer = (isLive: boolean) => Normalizer;

/** Days in which tickhaul's own normalizers read an exchange's messages of some types. */
export interface NormalizerEra {
  /** UTC day; if omitted, from the beginning. */
  readonly from?: string;
  /** UTC day, exclusive; if omitted, the era has not ended. */
  readonly to?: string;
  readonly normalizers: Partial<Readonly<Record<ExchangeMessageTypeName, CreateNormalizer>>>;
}

/** The collector recorded the public channel for twelve days in 2023, and permanently since 2026. */
const OKX_BOOKS: readonly NormalizerEra[] = [
  { from: '2023-02-25', to: '2023-03-09', normalizers: { book_change: okxBooks } },
  { from: '2026-05-21', normalizers: { book_change: okxBooks } },
];

/**
 * Messages read by tickhaul's own normalizers, since the exchanges are newer than the vendor's release in
 * use, or changed after it (docs/how-to/normalizers.md#what-reads-which-exchange). The days are those on which the recorded feed changed.
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
  aster: [{ normalizers: { trade: asterTrades, book_change: asterBooks, book_ticker: asterBookTickers } }],
  'aster-futures': [
    {
      normalizers: {
        trade: asterTrades,
        book_change: asterFuturesBooks,
        derivative_ticker: asterDerivativeTickers,
        liquidation: asterLiquidations,
        book_ticker: asterBookTickers,
      },
    },
  ],
  bullish: [
    {
      normalizers: {
        trade: bullishTrades,
        book_change: bullishBooks,
        derivative_ticker: bullishDerivativeTickers,
        option_summary: bullishOptionSummaries,
        book_ticker: bullishBookTickers,
      },
    },
  ],
  lighter: [
    {
      normalizers: {
        trade: lighterTrades,
        book_change: lighterBooks,
        derivative_ticker: lighterDerivativeTickers,
        liquidation: lighterLiquidations,
        book_ticker: lighterBookTickers,
      },
    },
  ],
  polymarket: [
    {
      normalizers: {
        trade: polymarketTrades,
        book_change: polymarketBooks,
        book_ticker: polymarketBookTickers,
      },
    },
  ],
  kraken: [
    {
      from: '2026-07-10',
      normalizers: { trade: krakenTrades, book_change: krakenBooks, book_ticker: krakenBookTickers },
    },
  ],
  mexc: [{ normalizers: { trade: mexcTrades, book_change: mexcBooks, book_ticker: mexcBookTickers } }],
  'mexc-futures': [
    {
      normalizers: {
        trade: mexcFuturesTrades,
        book_change: mexcFuturesBooks,
        derivative_ticker: mexcFuturesDerivativeTickers,
      },
    },
  ],
};

/**
 * Creates tickhaul's own normalizer of a type at a time; undefined if the vendor's is used.
 * @param at microseconds.
 * @param isLive whether the messages come from a live connection.
 */
export function createOwnNormalizer(
  exchange: string,
  type: ExchangeMessageTypeName,
  at: number,
  isLive = false,
): Normalizer | undefined {
  const eras = OWN_ERAS[exchange] ?? [];
  const era = eras.find(
    ({ from, to }) => (from === undefined || at >= dayToUs(from)) && (to === undefined || at < dayToUs(to)),
  );
  return era?.normalizers[type]?.(isLive);
}

/** Whether tickhaul has normalizers for some messages of an exchange, which implies that the exchange exists. */
export function hasOwnNormalizers(exchange: string): boolean {
  return Object.hasOwn(OWN_ERAS, exchange);
}

/**
 * Whether all messages of an exchange are read by tickhaul's normalizers, so that the vendor's are not needed:
 * those of which trades are read from the beginning.
 */
export function hasOnlyOwnNormalizers(exchange: string): boolean {
  const eras = hasOwnNormalizers(exchange) ? (OWN_ERAS[exchange] ?? []) : [];
  return eras.some(({ from, normalizers }) => from === undefined && normalizers.trade !== undefined);
}

function dayToUs(day: string): number {
  return Date.parse(day) * 1000;
}

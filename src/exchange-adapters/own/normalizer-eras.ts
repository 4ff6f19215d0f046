import type { ExchangeMessageTypeName } from '../../market/message-type-name.js';
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
  binanceOptionsBooks,
  binanceOptionsBookTickers,
  binanceOptionsSummaries,
  binanceOptionsTrades,
} from './binance-options-normalizers.js';
import {
  bitgetBooks,
  bitgetBookTickers,
  bitgetDerivativeTickers,
  bitgetLiquidations,
  bitgetTrades,
} from './bitget-normalizers.js';
import { bitfinexBookTickers, cryptoComBookTickers } from './book-tickers.js';
import {
  bullishBooks,
  bullishBookTickers,
  bullishDerivativeTickers,
  bullishOptionSummaries,
  bullishTrades,
} from './bullish-normalizers.js';
import { gateIoBooks, gateIoFuturesBooks, gateIoFuturesBookTickers } from './gate-io-normalizers.js';
import { geminiBooks, geminiBookTickers, geminiTrades } from './gemini-normalizers.js';
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
import { okxBooks, okxDerivativeTickers } from './okx-normalizers.js';
import { phemexBooks, phemexDerivativeTickers, phemexTrades } from './phemex-normalizers.js';
import { polymarketBooks, polymarketBookTickers, polymarketTrades } from './polymarket-normalizers.js';
import { wooXBooks, wooXBookTickers, wooXDerivativeTickers, wooXTrades } from './woo-x-normalizers.js';

/** @param isLive whether the messages come from a live connection, where a book without gaps can be had. */
type CreateNormalizer = (isLive: boolean) => Normalizer;

/** A time in which tickhaul's own normalizers read an exchange's messages of some types. */
export interface NormalizerEra {
  /** UTC day, or minute (`2026-06-29T22:02Z`); if omitted, always. */
  readonly from?: string;
  /** As `from`, exclusive; if omitted, the era has not ended. */
  readonly to?: string;
  /** First UTC day of which the feed has the messages, if that is later than the exchange's first. */
  readonly recordedFrom?: string;
  readonly normalizers: Partial<Readonly<Record<ExchangeMessageTypeName, CreateNormalizer>>>;
}

/** The collector recorded the public channel for twelve days in 2023, and permanently since 2026. */
const OKX_BOOKS: readonly NormalizerEra[] = [
  { from: '2023-02-25', to: '2023-03-09', normalizers: { book_change: okxBooks } },
  { from: '2026-05-21', normalizers: { book_change: okxBooks } },
];

/** The vendor's release does not know the index of contracts in USDC, nor funding rates of futures. */
const OKX_TICKERS: readonly NormalizerEra[] = [
  {
    from: '2021-12-23',
    to: '2023-04-10T08:40Z',
    normalizers: { derivative_ticker: () => okxDerivativeTickers('USD') },
  },
  { from: '2023-04-10T08:40Z', normalizers: { derivative_ticker: () => okxDerivativeTickers('USDC') } },
];

/** The vendor's release leaves out tickers with the eleven values that they have since April 2026. */
const BITFINEX_TICKERS: readonly NormalizerEra[] = [{ normalizers: { book_ticker: bitfinexBookTickers } }];

/**
 * Messages read by tickhaul's own normalizers, since the exchanges are newer than the vendor's release in
 * use, or changed after it (docs/how-to/normalizers.md#what-reads-which-exchange). The times are those at which
 * the recorded feed changed. Eras of an exchange may overlap if they have different types.
 */
export const OWN_ERAS: Readonly<Record<string, readonly NormalizerEra[]>> = {
  'binance-european-options': [
    {
      from: '2025-12-17',
      normalizers: {
        trade: binanceOptionsTrades,
        book_change: binanceOptionsBooks,
        option_summary: binanceOptionsSummaries,
      },
    },
    {
      recordedFrom: '2025-12-17',
      normalizers: { book_ticker: binanceOptionsBookTickers },
    },
  ],
  bitfinex: BITFINEX_TICKERS,
  'bitfinex-derivatives': BITFINEX_TICKERS,
  'crypto-com': [{ normalizers: { book_ticker: cryptoComBookTickers } }],
  gemini: [
    { from: '2026-07-24', normalizers: { trade: geminiTrades, book_change: geminiBooks } },
    { recordedFrom: '2026-07-24', normalizers: { book_ticker: geminiBookTickers } },
  ],
  'gate-io-futures': [
    {
      normalizers: { book_change: gateIoFuturesBooks, book_ticker: gateIoFuturesBookTickers },
    },
  ],
  phemex: [
    {
      normalizers: {
        trade: phemexTrades,
        book_change: phemexBooks,
        derivative_ticker: phemexDerivativeTickers,
      },
    },
  ],
  'woo-x': [
    {
      from: '2026-06-29T22:02Z',
      normalizers: {
        trade: wooXTrades,
        book_change: wooXBooks,
        derivative_ticker: wooXDerivativeTickers,
        book_ticker: wooXBookTickers,
      },
    },
  ],
  okex: OKX_BOOKS,
  'okex-swap': [...OKX_BOOKS, ...OKX_TICKERS],
  'okex-futures': [...OKX_BOOKS, ...OKX_TICKERS],
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
        book_ticker: bitgetBookTickers,
      },
    },
    { recordedFrom: '2026-04-28', normalizers: { liquidation: bitgetLiquidations } },
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
    ({ from, to, normalizers }) =>
      normalizers[type] !== undefined &&
      (from === undefined || at >= toUs(from)) &&
      (to === undefined || at < toUs(to)),
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

/** Times at which the eras of an exchange begin or end, in microseconds, in no order. */
export function listEraEdges(exchange: string): readonly number[] {
  const edges = (OWN_ERAS[exchange] ?? []).flatMap(({ from, to }) => [from, to]);
  return edges.filter((edge) => edge !== undefined).map(toUs);
}

function toUs(time: string): number {
  return Date.parse(time) * 1000;
}

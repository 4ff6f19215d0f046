import {
  eventTimeFromMs,
  type MessageFields,
  parseLevelPairs,
  parseOptionalNumber,
  parsePositiveNumber,
  toFields,
  toFieldsList,
} from '../message-fields.js';
import { mapToUniqueSymbols, type Normalizer, toUpperCaseSymbols } from '../normalizer.js';
import { LastTickers, type TickerValues } from './last-ticker.js';

/**
 * Book changes of OKX's public channel `books` (400 levels; OKX API v5, Order book channel): first a
 * snapshot, then changes every 100 ms. A change without levels is only a heartbeat; a book without a time is
 * invalid.
 */
export function okxBooks(): Normalizer {
  return {
    kind: 'okx-books',
    filters: (symbols) => [{ channel: 'books', ...toUpperCaseSymbols(symbols) }],
    read(message, localTimestamp, emit) {
      const { arg, action, event, data } = toFields(message);
      const { channel, instId } = toFields(arg);
      if (channel !== 'books' || event !== undefined) return;
      const isSnapshot = action === 'snapshot';
      for (const book of toFieldsList(data)) {
        const bids = parseLevelPairs(book['bids']);
        const asks = parseLevelPairs(book['asks']);
        const isHeartbeat = !isSnapshot && bids.length === 0 && asks.length === 0;
        if (isHeartbeat || Number(book['ts']) === 0) continue;
        const eventTime = eventTimeFromMs(book['ts'], localTimestamp);
        emit({ type: 'book_change', symbol: String(instId), isSnapshot, bids, asks, ...eventTime });
      }
    },
  };
}

const CHANNELS = ['tickers', 'open-interest', 'mark-price', 'index-tickers', 'funding-rate'];

/**
 * Tickers of OKX's futures and swaps (OKX API v5, Public data, WebSocket). Futures have a funding rate too:
 * expiring perpetuals (`BTC-USD_UM_XPERP-310404`) do.
 * @param usdcIndex quote currency of the index of contracts in USDC: `USD` until April 2023.
 */
export function okxDerivativeTickers(usdcIndex: 'USD' | 'USDC'): Normalizer {
  const tickers = new LastTickers();
  const indexPrices = new Map<unknown, number>();
  /** By symbol. */
  const indexNames = new Map<string, string>();
  /** `BTC-USD_UM-SWAP` has the index `BTC-USD`. */
  const indexOf = (symbol: string): string => {
    const [base = '', quote = ''] = symbol.split('-');
    const currency = quote.split('_')[0] ?? '';
    return `${base}-${currency === 'USDC' ? usdcIndex : currency}`;
  };
  return {
    kind: `okx-derivative-tickers-${usdcIndex}`,
    filters: (symbols) =>
      CHANNELS.map((channel) => ({
        channel,
        ...(channel === 'index-tickers'
          ? mapToUniqueSymbols(symbols, (symbol) => indexOf(symbol.toUpperCase()))
          : toUpperCaseSymbols(symbols)),
      })),
    handles: (message) => CHANNELS.includes(String(toFields(toFields(message)['arg'])['channel'])),
    read(message, localTimestamp, emit) {
      const { arg, event, data } = toFields(message);
      const channel = toFields(arg)['channel'];
      if (event !== undefined || !CHANNELS.includes(String(channel))) return;
      for (const item of toFieldsList(data)) {
        const { instId } = item;
        if (channel === 'index-tickers') {
          const price = parsePositiveNumber(item['idxPx']);
          if (price !== undefined) indexPrices.set(instId, price);
          continue;
        }
        const symbol = String(instId);
        const { values, hasTime } = readValues(channel, item);
        const index = indexNames.get(symbol) ?? indexOf(symbol);
        indexNames.set(symbol, index);
        values.indexPrice = indexPrices.get(index);
        const time = hasTime ? eventTimeFromMs(item['ts'], localTimestamp) : { localTimestamp };
        const record = tickers.get(symbol).update(values, time);
        if (record) emit(record);
      }
    },
  };
}

interface ItemValues {
  readonly values: TickerValues;
  /** Without its value, a message says nothing about the time. Until 2023 funding rates had no time. */
  readonly hasTime: boolean;
}

function readValues(channel: unknown, item: MessageFields): ItemValues {
  switch (channel) {
    case 'tickers': {
      const lastPrice = parsePositiveNumber(item['last']);
      return { values: { lastPrice }, hasTime: lastPrice !== undefined };
    }
    case 'open-interest': {
      const openInterest = parsePositiveNumber(item['oi']);
      return { values: { openInterest }, hasTime: openInterest !== undefined };
    }
    case 'mark-price': {
      const markPrice = parsePositiveNumber(item['markPx']);
      return { values: { markPrice }, hasTime: markPrice !== undefined };
    }
    default: {
      const fundingMs = parseOptionalNumber(item['fundingTime']);
      const values = {
        fundingRate: parseOptionalNumber(item['fundingRate']),
        fundingTimestamp: fundingMs === undefined ? undefined : fundingMs * 1000,
        predictedFundingRate: parseOptionalNumber(item['nextFundingRate']),
      };
      return { values, hasTime: item['ts'] !== undefined };
    }
  }
}

import { type MessageFields, toFields, toFieldsList } from '../message-fields.js';
import type { Normalizer } from '../normalizer.js';
import { mapToUniqueSymbols, toUpperCaseSymbols } from './filter-symbols.js';
import { LastTickers, type TickerValues } from './last-ticker.js';
import { eventTimeFromMs, parseOptionalNumber, parsePositiveNumber } from './parse-values.js';

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

import { toFields, toFieldsList } from '../message-fields.js';
import type { Normalizer } from '../normalizer.js';
import { mapToUniqueSymbols, toUpperCaseSymbols } from './filter-symbols.js';
import { LastTickers } from './last-ticker.js';
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
    read(message, localTimestamp, emit) {
      const { arg, event, data } = toFields(message);
      const channel = toFields(arg)['channel'];
      if (event !== undefined || !CHANNELS.includes(String(channel))) return;
      for (const { instId, idxPx, last, oi, markPx, ts, ...funding } of toFieldsList(data)) {
        if (channel === 'index-tickers') {
          const price = parsePositiveNumber(idxPx);
          if (price !== undefined) indexPrices.set(instId, price);
          continue;
        }
        const symbol = String(instId);
        const isFunding = channel === 'funding-rate';
        const fundingMs = isFunding ? parseOptionalNumber(funding['fundingTime']) : undefined;
        const values = {
          lastPrice: channel === 'tickers' ? parsePositiveNumber(last) : undefined,
          openInterest: channel === 'open-interest' ? parsePositiveNumber(oi) : undefined,
          fundingRate: isFunding ? parseOptionalNumber(funding['fundingRate']) : undefined,
          fundingTimestamp: fundingMs === undefined ? undefined : fundingMs * 1000,
          predictedFundingRate: isFunding ? parseOptionalNumber(funding['nextFundingRate']) : undefined,
          markPrice: channel === 'mark-price' ? parsePositiveNumber(markPx) : undefined,
        };
        // Until 2023 funding rates had no time. A message without its value says nothing about its time.
        const hasTime = isFunding
          ? ts !== undefined
          : Object.values(values).some((value) => value !== undefined);
        const time = hasTime ? eventTimeFromMs(ts, localTimestamp) : { localTimestamp };
        const record = tickers
          .get(symbol)
          .update({ ...values, indexPrice: indexPrices.get(indexOf(symbol)) }, time);
        if (record) emit(record);
      }
    },
  };
}
